/* What libstdc++ keeps out of its headers, by the runtime's forms of pthreads. This text stands behind runtime.c, in one file.
   A `std::thread` is a handle, 0 if it has none; a `std::condition_variable` is a `pthread_cond_t`; a `std::unique_lock`
   begins with the address of its mutex. */

#define THREAD_START _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE
#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)

void _ZNSt6thread4joinEv(pthread_t *thread);
void _ZNSt6thread6detachEv(pthread_t *thread);
int __cxa_guard_acquire(void *guard);
void __cxa_guard_release(void *guard);
void __cxa_guard_abort(void *guard);

/* The virtual functions of a state: two destructors, the second of which frees it, and what the thread does. */
typedef void method(void *);

static void delete_state(void **state) {
    (*(method ***)*state)[1](*state);
}

/* The thread may also be left by `pthread_exit`. */
static void *run_state(void *state) {
    void *mine __attribute__((cleanup(delete_state))) = state;
    (*(method ***)mine)[2](mine);
    return NULL;
}

/* The state's owner is a `std::unique_ptr`. */
void JOINED(__selvedge_, THREAD_START)(pthread_t *thread, void **owner, void (*unused)(void)) {
    (void)unused;
    void *state = *owner;
    *owner = NULL;
    if (__selvedge_pthread_create(thread, NULL, run_state, state))
        abort();
}

void __selvedge__ZNSt6thread4joinEv(pthread_t *thread) {
    if (!*thread || pthread_equal(*thread, pthread_self())) {
        _ZNSt6thread4joinEv(thread); /* throws */
        return;
    }
    if (__selvedge_pthread_join(*thread, NULL) == 0)
        *thread = 0;
}

void __selvedge__ZNSt6thread6detachEv(pthread_t *thread) {
    if (!*thread) {
        _ZNSt6thread6detachEv(thread); /* throws */
        return;
    }
    if (__selvedge_pthread_detach(*thread) == 0)
        *thread = 0;
}

/* As for the set. */
unsigned __selvedge__ZNSt6thread20hardware_concurrencyEv(void) {
    return 2;
}

void __selvedge__ZNSt18condition_variableC1Ev(pthread_cond_t *condition) {
    __selvedge_pthread_cond_init(condition, NULL);
}

void __selvedge__ZNSt18condition_variableC2Ev(pthread_cond_t *condition) {
    __selvedge_pthread_cond_init(condition, NULL);
}

void __selvedge__ZNSt18condition_variableD1Ev(pthread_cond_t *condition) {
    __selvedge_pthread_cond_destroy(condition);
}

void __selvedge__ZNSt18condition_variableD2Ev(pthread_cond_t *condition) {
    __selvedge_pthread_cond_destroy(condition);
}

void __selvedge__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(pthread_cond_t *condition, pthread_mutex_t **lock) {
    wait_on(condition, *lock, ITS_OWN, NULL);
}

void __selvedge__ZNSt18condition_variable10notify_oneEv(pthread_cond_t *condition) {
    __selvedge_pthread_cond_signal(condition);
}

void __selvedge__ZNSt18condition_variable10notify_allEv(pthread_cond_t *condition) {
    __selvedge_pthread_cond_broadcast(condition);
}

/* The guard of a local static variable: who comes first initialises it. */
int __selvedge___cxa_guard_acquire(void *guard) {
    if (enter(OP_ONCE, guard, -1, NULL) == FREE)
        return __cxa_guard_acquire(guard);
    leave();
    return __cxa_guard_acquire(guard);
}

/* The initialisation has thrown: who comes next tries again. */
void __selvedge___cxa_guard_abort(void *guard) {
    int outcome = enter(OP_ONCE_DONE, guard, -1, NULL);
    __cxa_guard_abort(guard);
    if (outcome != FREE)
        leave();
}

void __selvedge___cxa_guard_release(void *guard) {
    int outcome = enter(OP_ONCE_DONE, guard, -1, NULL);
    __cxa_guard_release(guard);
    if (outcome != FREE)
        leave();
}

/* The waiting of futures: see `__selvedge_syscall`. Who waits until a time has no place in a set. */
#define FUTURE_WAITS(name)                                                                                                       \
    int JOINED(__selvedge_, name)(void *self, unsigned *word, unsigned value, int ends, long seconds, long nanoseconds) {       \
        (void)self, (void)word, (void)value, (void)seconds, (void)nanoseconds;                                                  \
        if (ends)                                                                                                                \
            deviation(-1, OP_AT, "a wait for a future with a deadline");                                                         \
        return 1;                                                                                                                \
    }
FUTURE_WAITS(_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE)
FUTURE_WAITS(
    _ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE)

void __selvedge__ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj(void *self, unsigned *word) {
    (void)self, (void)word;
}
