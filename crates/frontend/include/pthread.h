// The system's <pthread.h>, but static initialisers leave a mark where glibc has zero in a field that nobody uses then. So the
// machine (crates/vm/src/sync/object.rs) can tell an initialised object, which must not be initialised again, from zeroed memory.
#include_next <pthread.h>

#if defined __x86_64__ && defined __GLIBC__

#define __SELVEDGE_MUTEX(kind) { .__data = { .__kind = (kind), .__spins = 0x5e1d } }

#undef PTHREAD_MUTEX_INITIALIZER
#define PTHREAD_MUTEX_INITIALIZER __SELVEDGE_MUTEX(PTHREAD_MUTEX_TIMED_NP)
#ifdef PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP
#undef PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP
#define PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP __SELVEDGE_MUTEX(PTHREAD_MUTEX_RECURSIVE_NP)
#undef PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP
#define PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP __SELVEDGE_MUTEX(PTHREAD_MUTEX_ERRORCHECK_NP)
#undef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
#define PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP __SELVEDGE_MUTEX(PTHREAD_MUTEX_ADAPTIVE_NP)
#endif

#undef PTHREAD_COND_INITIALIZER
#define PTHREAD_COND_INITIALIZER { .__data = { .__g1_orig_size = 0x5e1d } }

#ifdef PTHREAD_RWLOCK_INITIALIZER
#undef PTHREAD_RWLOCK_INITIALIZER
#define PTHREAD_RWLOCK_INITIALIZER { .__data = { .__pad3 = 0x5e1d, .__flags = PTHREAD_RWLOCK_DEFAULT_NP } }
#endif
#ifdef PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP
#undef PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP
#define PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP \
  { .__data = { .__pad3 = 0x5e1d, .__flags = PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP } }
#endif

#endif
