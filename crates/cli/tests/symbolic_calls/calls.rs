//! The calls: what the other thread does, and what main does.

/// A program.
pub struct Call {
    pub name: &'static str,
    /// What stands before the functions.
    globals: &'static str,
    /// What the other thread does.
    other: &'static str,
    /// What main does; `GO` creates the other thread, `END` joins it.
    main: &'static str,
}

impl Call {
    pub fn text(&self) -> String {
        format!(
            "{HEAD}{}\nstatic void *other(void *arg)\n{{\n    {}\n    return 0;\n}}\n\nint main(void)\n{{\n    {}\n    return 0;\n}}\n",
            self.globals,
            self.other.replace("; ", ";\n    "),
            self.main.replace("; ", ";\n    ")
        )
    }
}

const HEAD: &str = r#"#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

unsigned __VERIFIER_nondet_uint(void);

#ifdef BEFORE
static int choose(void)
{
    if (__VERIFIER_nondet_uint() & 1)
        return 1;
    return 0;
}
#else
static int choose(void) { return __VERIFIER_nondet_uint() & 1; }
#endif
#define S choose()
#define LOCKS {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER}

static int n, v[2];
static pthread_t t, u[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, mm[2] = LOCKS;
static void *idle(void *arg) { return arg; }
static void *adds(void *arg)
{
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    return arg;
}
static void *other(void *arg);
#define GO pthread_create(&t, 0, other, 0)
#define END pthread_join(t, 0)
"#;

const fn call(name: &'static str, globals: &'static str, other: &'static str, main: &'static str) -> Call {
    Call {
        name,
        globals,
        other,
        main,
    }
}

const LOCKED: &str = "pthread_mutex_lock(&m); n = 1; pthread_mutex_unlock(&m);";

/// All programs.
#[rustfmt::skip]
pub fn all() -> Vec<Call> {
    vec![
        // ---- threads ----
        call("create_handle", "", "v[0] = n;", "n = 1; pthread_create(&u[S], 0, other, 0);"),
        call("create_handle_joined", "", "n = 1;", "int s = S; pthread_create(&u[s], 0, other, 0); pthread_join(u[s], 0); n = 2;"),
        call("create_attribute", "static pthread_attr_t a[2];", "n = 1;",
            "pthread_attr_init(&a[0]); pthread_attr_init(&a[1]); pthread_create(&t, &a[S], other, 0); END; n = 2;"),
        call("create_detached", "static pthread_attr_t a[2];", "n = 1;",
            "pthread_attr_init(&a[0]); pthread_attr_init(&a[1]); pthread_attr_setdetachstate(&a[1], PTHREAD_CREATE_DETACHED); pthread_create(&t, &a[S], other, 0); END; n = 2;"),
        call("create_detach_state", "static pthread_attr_t a;", "n = 1;",
            "pthread_attr_init(&a); pthread_attr_setdetachstate(&a, S); pthread_create(&t, &a, other, 0); END; n = 2;"),
        call("create_routine", "", LOCKED,
            "void *(*f[2])(void *) = {other, adds}; pthread_create(&t, 0, f[S], 0); pthread_mutex_lock(&m); n += 2; pthread_mutex_unlock(&m); END; assert(n == 3 || n == 1);"),
        call("create_argument", "", "n = 1 + (int)(long)arg;", "pthread_create(&t, 0, other, (void *)(long)S); END; assert(n != 2);"),
        call("join_handle", "", "n = 1;", "pthread_create(&u[0], 0, other, 0); pthread_create(&u[1], 0, idle, 0); pthread_join(u[S], 0); n = 2;"),
        call("join_result", "static void *r[2];", "n = 1;", "GO; pthread_join(t, &r[S]); n = 2;"),
        call("join_result_read", "static void *r[2] = {&n, &n};", "n = 1;", "GO; pthread_join(t, &r[S]); assert(r[1]);"),
        call("tryjoin", "static void *r[2];", "n = 1;", "GO; if (!pthread_tryjoin_np(t, &r[S])) n = 2;"),
        call("timedjoin", "static void *r[2]; static struct timespec ts[2];", "n = 1;", "GO; if (!pthread_timedjoin_np(t, &r[S], &ts[S])) n = 2;"),
        call("detach", "", "n = 1;", "pthread_create(&u[0], 0, other, 0); pthread_create(&u[1], 0, idle, 0); pthread_detach(u[S]); pthread_join(u[0], 0); n = 2;"),
        call("equal", "", "n = 1;", "u[1] = pthread_self(); GO; u[0] = t; if (pthread_equal(u[S], t)) END; n = 2;"),
        call("cancel", "", "pthread_testcancel(); n = 1;", "pthread_create(&u[0], 0, other, 0); pthread_create(&u[1], 0, idle, 0); pthread_cancel(u[S]); pthread_join(u[0], 0); assert(n);"),
        call("cancel_state", "static int old[2];", "pthread_setcancelstate(S, &old[S]); pthread_testcancel(); n = 1;", "GO; pthread_cancel(t); END; assert(n);"),
        call("exit_value", "", "pthread_exit(&v[S]);", "GO; void *r; pthread_join(t, &r); assert(r == &v[0]);"),
        call("set_name", "static char names[2][20] = {\"short\", \"quite a long name\"};", "n = 1;", "GO; v[0] = pthread_setname_np(t, names[S]); END; assert(!v[0]);"),
        call("at_exit", "static void one(void) { n = 1; } static void two(void) { n = 2; } static void last(void) { assert(n == 1); }", "v[0] = 1;",
            "void (*f[2])(void) = {one, two}; atexit(last); GO; atexit(f[S]); END;"),
        call("thrd_create", "static int work(void *arg) { v[0] = n; return 0; } static thrd_t q[2];", "", "n = 1; thrd_create(&q[S], work, 0);"),
        call("thrd_join_result", "static int work(void *arg) { n = 1; return 7; } static thrd_t q; static int r[2];", "", "thrd_create(&q, work, 0); thrd_join(q, &r[S]); n = 2; assert(r[0] == 7);"),
        call("thrd_join", "static int work(void *arg) { n = 1; return 0; } static int rest(void *arg) { return 0; } static thrd_t q[2];", "",
            "thrd_create(&q[0], work, 0); thrd_create(&q[1], rest, 0); thrd_join(q[S], 0); n = 2;"),
        call("thrd_detach", "static int work(void *arg) { n = 1; return 0; } static int rest(void *arg) { return 0; } static thrd_t q[2];", "",
            "thrd_create(&q[0], work, 0); thrd_create(&q[1], rest, 0); thrd_detach(q[S]); thrd_join(q[1], 0);"),
        // ---- mutexes ----
        call("mutex_lock", "", "pthread_mutex_lock(&mm[0]); n = 1; pthread_mutex_unlock(&mm[0]);", "int s = S; GO; pthread_mutex_lock(&mm[s]); n = 2; pthread_mutex_unlock(&mm[s]);"),
        call("mutex_lock_in_both", "", "int s = S; pthread_mutex_lock(&mm[s]); n = 1; pthread_mutex_unlock(&mm[s]);", "GO; int s = S; pthread_mutex_lock(&mm[s]); n = 2; pthread_mutex_unlock(&mm[s]);"),
        call("mutex_unlock", "", "pthread_mutex_lock(&mm[0]); n = 1; pthread_mutex_unlock(&mm[0]);", "GO; pthread_mutex_lock(&mm[0]); pthread_mutex_lock(&mm[1]); int s = S; pthread_mutex_unlock(&mm[s]); n = 2; pthread_mutex_unlock(&mm[!s]);"),
        call("mutex_deadlock", "", "pthread_mutex_lock(&mm[0]); pthread_mutex_lock(&mm[1]); pthread_mutex_unlock(&mm[1]); pthread_mutex_unlock(&mm[0]);",
            "GO; int s = S; pthread_mutex_lock(&mm[s]); pthread_mutex_lock(&mm[!s]); pthread_mutex_unlock(&mm[!s]); pthread_mutex_unlock(&mm[s]);"),
        call("mutex_trylock", "", "pthread_mutex_lock(&mm[0]); n = 1; pthread_mutex_unlock(&mm[0]);", "GO; int s = S; if (!pthread_mutex_trylock(&mm[s])) { n = 2; pthread_mutex_unlock(&mm[s]); }"),
        call("mutex_timedlock_deadline", "static struct timespec ts[2] = {{1, 0}, {2, 0}};", LOCKED, "GO; if (!pthread_mutex_timedlock(&m, &ts[S])) { n = 2; pthread_mutex_unlock(&m); }"),
        call("mutex_timedlock_time", "static struct timespec ts;", LOCKED, "GO; ts.tv_sec = S; ts.tv_nsec = S; if (!pthread_mutex_timedlock(&m, &ts)) { n = 2; pthread_mutex_unlock(&m); }"),
        call("mutex_init", "static pthread_mutex_t w[2]; static pthread_mutexattr_t a[2];", "v[0] = 1;",
            "pthread_mutexattr_init(&a[0]); pthread_mutexattr_init(&a[1]); pthread_mutexattr_settype(&a[1], PTHREAD_MUTEX_RECURSIVE); GO; int s = S; pthread_mutex_init(&w[s], &a[s]); pthread_mutex_lock(&w[s]); pthread_mutex_lock(&w[s]); n = 1;"),
        call("mutex_kind", "static pthread_mutex_t w; static pthread_mutexattr_t a;", "v[0] = 1;",
            "pthread_mutexattr_init(&a); pthread_mutexattr_settype(&a, S ? PTHREAD_MUTEX_ERRORCHECK : PTHREAD_MUTEX_NORMAL); GO; pthread_mutex_init(&w, &a); pthread_mutex_lock(&w); assert(pthread_mutex_lock(&w) != EDEADLK);"),
        call("mutex_destroy", "", "pthread_mutex_lock(&mm[0]); n = 1; pthread_mutex_unlock(&mm[0]);", "GO; pthread_mutex_destroy(&mm[S]); END;"),
        call("mutex_copied", "static struct { int a[2]; pthread_mutex_t m; } w = {{0, 0}, PTHREAD_MUTEX_INITIALIZER};", "pthread_mutex_lock(&w.m); n = 1; pthread_mutex_unlock(&w.m);",
            "w.a[S] = 1; GO; pthread_mutex_lock(&w.m); n = 2; pthread_mutex_unlock(&w.m);"),
        call("mtx", "static mtx_t w[2];", "mtx_lock(&w[0]); n = 1; mtx_unlock(&w[0]);", "mtx_init(&w[0], mtx_plain); mtx_init(&w[1], mtx_plain); GO; int s = S; mtx_lock(&w[s]); n = 2; mtx_unlock(&w[s]);"),
        call("mtx_init", "static mtx_t w[2];", "v[0] = 1;", "GO; int s = S; mtx_init(&w[s], s ? mtx_recursive : mtx_plain); mtx_lock(&w[s]); if (!mtx_trylock(&w[s])) n = 1; assert(!n);"),
        call("mtx_timedlock", "static mtx_t w[2]; static struct timespec ts[2];", "mtx_lock(&w[0]); n = 1; mtx_unlock(&w[0]);", "mtx_init(&w[0], mtx_timed); mtx_init(&w[1], mtx_timed); GO; int s = S; if (mtx_timedlock(&w[s], &ts[s]) == thrd_success) { n = 2; mtx_unlock(&w[s]); }"),
        // ---- condition variables ----
        call("cond_signal", "static pthread_cond_t c[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};",
            "pthread_mutex_lock(&m); while (!n) pthread_cond_wait(&c[0], &m); pthread_mutex_unlock(&m);", "GO; pthread_mutex_lock(&m); n = 1; pthread_cond_signal(&c[S]); pthread_mutex_unlock(&m); END;"),
        call("cond_broadcast", "static pthread_cond_t c[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};",
            "pthread_mutex_lock(&m); while (!n) pthread_cond_wait(&c[0], &m); pthread_mutex_unlock(&m);", "GO; pthread_mutex_lock(&m); n = 1; pthread_cond_broadcast(&c[S]); pthread_mutex_unlock(&m); END;"),
        call("cond_wait", "static pthread_cond_t c[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};",
            "pthread_mutex_lock(&m); int s = S; while (!n) pthread_cond_wait(&c[s], &m); pthread_mutex_unlock(&m);", "GO; pthread_mutex_lock(&m); n = 1; pthread_cond_signal(&c[0]); pthread_mutex_unlock(&m); END;"),
        call("cond_wait_mutex", "static pthread_cond_t c = PTHREAD_COND_INITIALIZER;",
            "pthread_mutex_lock(&mm[0]); if (!n) pthread_cond_wait(&c, &mm[S]); pthread_mutex_unlock(&mm[0]);", "GO; pthread_mutex_lock(&mm[0]); n = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&mm[0]); END;"),
        call("cond_timedwait", "static pthread_cond_t c = PTHREAD_COND_INITIALIZER; static struct timespec ts[2];",
            "pthread_mutex_lock(&m); if (!n) pthread_cond_timedwait(&c, &m, &ts[S]); v[0] = n; pthread_mutex_unlock(&m);", "GO; pthread_mutex_lock(&m); n = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); END; assert(v[0]);"),
        call("cond_init", "static pthread_cond_t c[2]; static pthread_condattr_t a[2];", "v[0] = 1;", "pthread_condattr_init(&a[0]); GO; int s = S; pthread_cond_init(&c[s], &a[s]); pthread_cond_destroy(&c[s]);"),
        call("cond_destroy", "static pthread_cond_t c[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};", "pthread_cond_signal(&c[0]);", "GO; pthread_cond_destroy(&c[S]); END;"),
        call("cnd", "static mtx_t w; static cnd_t c[2];", "mtx_lock(&w); while (!n) cnd_wait(&c[0], &w); mtx_unlock(&w);",
            "mtx_init(&w, mtx_plain); cnd_init(&c[0]); cnd_init(&c[1]); GO; mtx_lock(&w); n = 1; cnd_signal(&c[S]); mtx_unlock(&w); END;"),
        // ---- read-write locks ----
        call("rwlock", "static pthread_rwlock_t w[2] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};", "pthread_rwlock_wrlock(&w[0]); n = 1; pthread_rwlock_unlock(&w[0]);",
            "GO; int s = S; pthread_rwlock_rdlock(&w[s]); v[0] = n; pthread_rwlock_unlock(&w[s]); pthread_rwlock_wrlock(&w[S]); v[1] = 1;"),
        call("rwlock_try", "static pthread_rwlock_t w[2] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};", "pthread_rwlock_wrlock(&w[0]); n = 1; pthread_rwlock_unlock(&w[0]);",
            "GO; int s = S; if (!pthread_rwlock_tryrdlock(&w[s])) { v[0] = n; pthread_rwlock_unlock(&w[s]); } if (!pthread_rwlock_trywrlock(&w[s])) n = 3;"),
        call("rwlock_timed", "static pthread_rwlock_t w[2] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER}; static struct timespec ts[2];",
            "pthread_rwlock_wrlock(&w[0]); n = 1; pthread_rwlock_unlock(&w[0]);",
            "GO; int s = S; if (!pthread_rwlock_timedrdlock(&w[s], &ts[s])) { v[0] = n; pthread_rwlock_unlock(&w[s]); } if (!pthread_rwlock_timedwrlock(&w[0], &ts[S])) n = 3;"),
        call("rwlock_life", "static pthread_rwlock_t w[2];", "v[0] = 1;", "GO; int s = S; pthread_rwlock_init(&w[s], 0); pthread_rwlock_rdlock(&w[s]); pthread_rwlock_destroy(&w[S]);"),
        // ---- spin locks, barriers, semaphores, once, keys ----
        call("spin", "static pthread_spinlock_t w[2];", "pthread_spin_lock(&w[0]); n = 1; pthread_spin_unlock(&w[0]);",
            "pthread_spin_init(&w[0], 0); pthread_spin_init(&w[1], 0); GO; int s = S; pthread_spin_lock(&w[s]); n = 2; pthread_spin_unlock(&w[s]);"),
        call("spin_try", "static pthread_spinlock_t w[2];", "pthread_spin_lock(&w[0]); n = 1; pthread_spin_unlock(&w[0]);",
            "pthread_spin_init(&w[0], 0); pthread_spin_init(&w[1], 0); GO; int s = S; if (!pthread_spin_trylock(&w[s])) n = 2;"),
        call("spin_life", "static pthread_spinlock_t w[2];", "v[0] = 1;", "GO; int s = S; pthread_spin_init(&w[s], S); pthread_spin_lock(&w[s]); pthread_spin_destroy(&w[S]);"),
        call("barrier", "static pthread_barrier_t b[2];", "n = 1; pthread_barrier_wait(&b[0]);", "pthread_barrier_init(&b[0], 0, 2); pthread_barrier_init(&b[1], 0, 1); GO; pthread_barrier_wait(&b[S]); n = 2;"),
        call("barrier_count", "static pthread_barrier_t b;", "n = 1; pthread_barrier_wait(&b);", "pthread_barrier_init(&b, 0, 1 + S); GO; pthread_barrier_wait(&b); n = 2;"),
        call("barrier_life", "static pthread_barrier_t b[2];", "v[0] = 1;", "GO; int s = S; pthread_barrier_init(&b[s], 0, 1); pthread_barrier_wait(&b[s]); pthread_barrier_destroy(&b[S]);"),
        call("sem", "static sem_t w[2];", "n = 1; sem_post(&w[0]);", "sem_init(&w[0], 0, 0); sem_init(&w[1], 0, 1); GO; sem_wait(&w[S]); n = 2;"),
        call("sem_post", "static sem_t w[2];", "sem_wait(&w[0]); n = 1;", "sem_init(&w[0], 0, 0); sem_init(&w[1], 0, 0); GO; n = 2; sem_post(&w[S]);"),
        call("sem_value", "static sem_t w;", "n = 1; sem_post(&w);", "sem_init(&w, 0, S); GO; sem_wait(&w); n = 2;"),
        call("sem_init", "static sem_t w[2];", "v[0] = 1;", "GO; sem_init(&w[S], 0, 1); sem_wait(&w[0]); sem_destroy(&w[0]);"),
        call("sem_try", "static sem_t w[2];", "n = 1; sem_post(&w[0]);", "sem_init(&w[0], 0, 0); sem_init(&w[1], 0, 1); GO; if (!sem_trywait(&w[S])) n = 2;"),
        call("sem_timed", "static sem_t w[2]; static struct timespec ts[2];", "n = 1; sem_post(&w[0]);", "sem_init(&w[0], 0, 0); sem_init(&w[1], 0, 1); GO; int s = S; if (!sem_timedwait(&w[s], &ts[s])) n = 2;"),
        call("sem_getvalue", "static sem_t w[2];", "sem_post(&w[0]);", "sem_init(&w[0], 0, 0); sem_init(&w[1], 0, 3); GO; sem_getvalue(&w[S], &v[S]); assert(v[0] != 1 && v[1] != 1);"),
        call("once", "static pthread_once_t o[2] = {PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT}; static void first(void) { n++; }", "pthread_once(&o[0], first);", "GO; pthread_once(&o[S], first); v[0] = n;"),
        call("once_routine", "static pthread_once_t o = PTHREAD_ONCE_INIT; static void one(void) { n = 1; } static void two(void) { n = 2; }", "pthread_once(&o, one);",
            "void (*f[2])(void) = {one, two}; GO; pthread_once(&o, f[S]); assert(n == 1);"),
        call("key_create", "static pthread_key_t k[2]; static void end(void *arg) { n = 1; } static void stop(void *arg) { n = 2; }", "pthread_setspecific(k[0], &n);",
            "void (*f[2])(void *) = {end, stop}; pthread_create(&u[0], 0, idle, 0); pthread_key_create(&k[0], f[S]); GO; END; assert(n == 1);"),
        call("key_handle", "static pthread_key_t k[2];", "v[0] = 1;", "GO; pthread_key_create(&k[S], 0); pthread_key_create(&k[0], 0); pthread_setspecific(k[0], &n); assert(pthread_getspecific(k[S]));"),
        call("key_use", "static pthread_key_t k[2];", "pthread_setspecific(k[S], &n); v[0] = pthread_getspecific(k[0]) == &n;", "pthread_key_create(&k[0], 0); pthread_key_create(&k[1], 0); GO; END; assert(v[0]);"),
        call("key_delete", "static pthread_key_t k[2];", "pthread_setspecific(k[0], &n);", "pthread_key_create(&k[0], 0); pthread_key_create(&k[1], 0); GO; END; pthread_key_delete(k[S]); pthread_key_delete(k[0]);"),
        // ---- attributes ----
        call("attributes", "static pthread_attr_t a[2]; static size_t sizes[2];", "n = 1;", "GO; pthread_attr_init(&a[S]); pthread_attr_init(&a[0]); pthread_attr_setstacksize(&a[0], 65536 << S); pthread_attr_getstacksize(&a[0], &sizes[S]); assert(sizes[1] != 65536);"),
        call("mutex_attributes", "static pthread_mutexattr_t a[2];", "n = 1;", "GO; int s = S; pthread_mutexattr_init(&a[s]); pthread_mutexattr_settype(&a[s], s + 1); pthread_mutexattr_gettype(&a[s], &v[s]); assert(v[0] != 1);"),
        // ---- atomic accesses ----
        call("atomic_store", "static atomic_int f[2];", "n = 1; atomic_store_explicit(&f[S], 1, memory_order_release);", "GO; if (atomic_load_explicit(&f[0], memory_order_acquire)) n = 2;"),
        call("atomic_load", "static atomic_int f[2];", "n = 1; atomic_store(&f[0], 1);", "GO; if (atomic_load(&f[S])) n = 2;"),
        call("atomic_value", "static atomic_int f;", "n = 1; atomic_store(&f, S);", "GO; if (atomic_load(&f)) n = 2;"),
        call("exchange_value", "static atomic_int f;", "n = 1; atomic_exchange(&f, S);", "GO; if (atomic_load(&f)) n = 2;"),
        call("compare_old", "static atomic_int f;", "n = 1; int old = S; atomic_compare_exchange_strong(&f, &old, 2);", "GO; if (atomic_load(&f) == 2) n = 2;"),
        call("compare_memory", "static atomic_int f;", "n = 1; int old = 1; atomic_compare_exchange_strong(&f, &old, 2);", "f = S; GO; if (atomic_load(&f) == 2) n = 2;"),
        call("compare_fails", "static atomic_int f;", "n = 1; int old = S; atomic_compare_exchange_strong_explicit(&f, &old, 2, memory_order_acq_rel, memory_order_relaxed);",
            "GO; int old = 5; atomic_compare_exchange_strong_explicit(&f, &old, 3, memory_order_acq_rel, memory_order_acquire); n = 2;"),
        call("compare_orders", "static atomic_int f;", "n = 1; atomic_store_explicit(&f, S, memory_order_release);",
            "GO; int old = 1; if (atomic_compare_exchange_strong_explicit(&f, &old, 3, memory_order_acquire, memory_order_relaxed)) n = 2;"),
        call("fetch_add", "static atomic_int f[2];", "n = 1; atomic_fetch_add(&f[S], 1 + S);", "GO; if (atomic_load(&f[0])) n = 2;"),
        call("atomic_block", "void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);", "__VERIFIER_atomic_begin(); n = 1; if (S) v[0] = 1; n = 0; __VERIFIER_atomic_end();",
            "GO; __VERIFIER_atomic_begin(); int k = n; if (S) v[0] = 2; assert(k == n && !k); __VERIFIER_atomic_end();"),
        // ---- memory ----
        call("malloc_size", "static char *p;", "pthread_mutex_lock(&m); p = malloc(1 + S); pthread_mutex_unlock(&m);", "GO; END; p[1] = 1; free(p);"),
        call("calloc_size", "static char *p;", "p = calloc(1 + S, 1);", "GO; END; assert(!p[0]); p[1] = 1; free(p);"),
        call("realloc", "static char *p[2];", "v[0] = 1;", "p[0] = malloc(1); p[1] = malloc(1); GO; int s = S; p[s] = realloc(p[s], 1 + S); p[0][1] = 1;"),
        call("free", "static char *p[2];", "v[0] = p[0][0];", "p[0] = calloc(1, 1); p[1] = calloc(1, 1); GO; free(p[S]);"),
        call("posix_memalign", "static void *p[2];", "v[0] = p[0] != 0;", "GO; posix_memalign(&p[S], 16, 8 + S);"),
        call("memcpy", "static char a[2][4], b[2][4] = {\"abc\", \"xyz\"};", "v[0] = a[0][3];", "GO; memcpy(a[S], b[S], 3 + S);"),
        call("memcpy_size", "static char a[4], b[4] = \"abc\";", "v[0] = a[1];", "GO; memcpy(a, b, 1 + S);"),
        call("memmove", "static char a[8] = \"abcdef\";", "v[0] = a[0];", "GO; memmove(a + S, a + 3, 2);"),
        call("memset", "static char a[2][4];", "v[0] = a[0][0];", "GO; memset(a[S], 'a' + S, 2);"),
        call("memset_alone", "static char a[2][4];", "v[0] = 1;", "memset(a[S], 'a' + S, 2); GO; END; assert(a[0][0] == 'a' || a[1][0] == 'b');"),
        call("strlen", "static char a[2][4] = {\"a\", \"abc\"};", "pthread_mutex_lock(&m); a[1][2] = 0; pthread_mutex_unlock(&m);", "GO; pthread_mutex_lock(&m); size_t k = strlen(a[S]); pthread_mutex_unlock(&m); assert(k != 2);"),
        call("strcpy", "static char a[2][4], b[2][4] = {\"ab\", \"c\"};", "v[0] = a[0][2];", "GO; strcpy(a[S], b[S]);"),
        call("strcmp", "static char b[2][4] = {\"ab\", \"c\"};", "pthread_mutex_lock(&m); b[0][0] = 'd'; pthread_mutex_unlock(&m);", "GO; pthread_mutex_lock(&m); int k = strcmp(b[0], b[S]); pthread_mutex_unlock(&m); assert(k <= 0);"),
        call("strchr", "static char b[2][4] = {\"ab\", \"c\"};", "v[0] = 1;", "GO; assert(!strchr(b[S], 'b' + S));"),
        call("strtol", "static char b[2][4] = {\"12\", \"3\"}, *end[2];", "v[0] = end[0] != 0;", "GO; assert(strtol(b[S], &end[S], 10 + S) != 3);"),
        call("qsort", "static int by(const void *a, const void *b) { return *(int *)a - *(int *)b; } static int w[2][2] = {{2, 1}, {4, 3}};", "v[0] = w[0][0];", "GO; qsort(w[S], 1 + S, 4, by);"),
        call("rand_r", "static unsigned w[2];", "v[0] = w[0];", "GO; rand_r(&w[S]);"),
        call("srand", "", "srand(1);", "GO; srand(S); END; rand();"),
        // ---- output and text ----
        call("printf", "static char b[2][4] = {\"ab\", \"c\"};", "b[0][0] = 'x';", "GO; printf(\"%s %d\\n\", b[S], S);"),
        call("snprintf", "static char b[2][4], c[2][4] = {\"ab\", \"c\"};", "v[0] = b[0][0];", "GO; v[1] = snprintf(b[S], 1 + S, \"%s\", c[S]);"),
        call("sscanf", "static char b[2][4] = {\"12\", \"3\"};", "n = v[0];", "GO; sscanf(b[S], \"%d\", &v[S]);"),
        // ---- files ----
        call("pipe_read", "static int p[2]; static char b[2][2];", "n = 1; write(p[1], \"ab\", 2);", "pipe(p); GO; if (read(p[0], b[S], 1 + S) > 0) n = 2;"),
        call("pipe_write", "static int p[2]; static char b[2][2] = {\"a\", \"b\"};", "char c; if (read(p[0], &c, 1) > 0) n = 1; assert(c == 'a');", "pipe(p); GO; n = 2; write(p[1], b[S], 1);"),
        call("pipe_handles", "static int p[2][2];", "char c; if (read(p[0][0], &c, 1) > 0) n = 1;", "pipe(p[0]); pipe(p[1]); GO; n = 2; write(p[S][1], \"a\", 1); n = 3;"),
        call("pipe_made", "static int p[2][2];", "n = p[0][0];", "GO; pipe(p[S]);"),
        call("close", "static int p[2];", "char c; v[0] = read(p[0], &c, 1);", "pipe(p); close(p[1]); int q = dup(p[0]); p[1] = q; GO; close(p[S]); END; assert(v[0] == 0);"),
        call("fputc", "static FILE *f;", "fputc('a', f);", "f = fopen(\"x\", \"w\"); GO; fputc('a' + S, f); END; fclose(f); f = fopen(\"x\", \"r\"); assert(fgetc(f) != 'b');"),
        call("fwrite", "static FILE *f[2]; static char b[2][2] = {\"ab\", \"cd\"};", "fwrite(\"x\", 1, 1, f[0]);", "f[0] = fopen(\"x\", \"w\"); f[1] = fopen(\"y\", \"w\"); GO; fwrite(b[S], 1, 1 + S, f[S]); END; v[0] = ftell(f[0]); assert(v[0] != 2);"),
        call("fgets", "static FILE *f; static char b[2][4];", "n = b[0][0];", "f = fopen(\"x\", \"w+\"); fputs(\"ab\", f); rewind(f); GO; fgets(b[S], 2 + S, f);"),
        call("fprintf", "static FILE *f[2];", "fprintf(f[0], \"%d\", 1);", "f[0] = fopen(\"x\", \"w\"); f[1] = fopen(\"y\", \"w\"); GO; fprintf(f[S], \"%d\", 10 + S); END; v[0] = ftell(f[0]); assert(v[0] != 3);"),
        call("lseek", "static int f;", "write(f, \"a\", 1);", "f = open(\"x\", O_RDWR | O_CREAT, 0600); GO; lseek(f, S, SEEK_SET); END; assert(lseek(f, 0, SEEK_CUR) != 2);"),
        call("open_name", "static char names[2][2] = {\"x\", \"y\"};", "int f = open(\"x\", O_RDWR | O_CREAT, 0600); write(f, \"a\", 1);", "GO; int f = open(names[S], O_RDONLY); END; assert(f < 0);"),
        // ---- time, signals ----
        call("clock_gettime", "static struct timespec ts[2];", "n = (int)ts[0].tv_sec;", "GO; clock_gettime(CLOCK_MONOTONIC, &ts[S]);"),
        call("time", "static time_t ts[2];", "n = (int)ts[0];", "GO; time(&ts[S]);"),
        call("nanosleep", "static struct timespec ts[2];", "ts[0].tv_sec = 1;", "GO; nanosleep(&ts[S], 0);"),
        call("usleep", "", "n = 1;", "GO; usleep(1 + S); END; n = 2;"),
        call("sigmask", "static sigset_t sets[2];", "n = 1;", "sigemptyset(&sets[0]); sigemptyset(&sets[1]); GO; sigaddset(&sets[S], SIGINT + S); pthread_sigmask(SIG_BLOCK, &sets[S], &sets[S]); assert(!sigismember(&sets[1], SIGINT));"),
        call("assume", "void __VERIFIER_assume(int);", "int s = S; __VERIFIER_assume(s); n = s;", "GO; END; assert(n);"),
        call("assume_beside", "void __VERIFIER_assume(int); static int in;", "pthread_mutex_lock(&m); __VERIFIER_assume(in); n = 1; pthread_mutex_unlock(&m);", "in = S; GO; pthread_mutex_lock(&m); v[0] = n; pthread_mutex_unlock(&m); assert(!v[0]);"),
    ]
}
