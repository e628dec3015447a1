/* The wrappers of C++ and C11 for native programs on a schedule: they lead to those of pthreads. This text stands behind
   replay.c, in one file. */

/* std::condition_variable, which is a pthread_cond_t; a unique_lock begins with the address of its mutex. */
static void made(const char *what) {
    if (turn(what))
        step_done();
}

void __wrap__ZNSt18condition_variableC1Ev(pthread_cond_t *condition) {
    *condition = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    made("init");
}

void __wrap__ZNSt18condition_variableD1Ev(pthread_cond_t *condition) {
    (void)condition;
    made("destroy");
}

void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(pthread_cond_t *condition,
                                                                      pthread_mutex_t **lock) {
    (void)condition;
    waits(*lock, "std::condition_variable::wait", 0, NULL);
}

void __wrap__ZNSt18condition_variable10notify_oneEv(pthread_cond_t *condition) {
    (void)condition;
    signals("signal");
}

void __wrap__ZNSt18condition_variable10notify_allEv(pthread_cond_t *condition) {
    (void)condition;
    signals("broadcast");
}

/* ---- C11 threads ------------------------------------------------------------------------------------------------------ */

/* Their objects are those of pthreads in glibc. */
struct c11_start {
    int (*body)(void *);
    void *argument;
};

static void *c11_body(void *data) {
    struct c11_start start = *(struct c11_start *)data;
    free(data);
    return (void *)(long)start.body(start.argument);
}

int __wrap_thrd_create(thrd_t *thread, thrd_start_t body, void *argument) {
    struct c11_start *start = malloc(sizeof *start);
    if (!start)
        deviates("create", "out of memory");
    *start = (struct c11_start){body, argument};
    return __wrap_pthread_create(thread, NULL, c11_body, start) ? thrd_error : thrd_success;
}

int __wrap_thrd_join(thrd_t thread, int *result) {
    void *value = NULL;
    int error = __wrap_pthread_join(thread, &value);
    if (result)
        *result = (int)(long)value;
    return error ? thrd_error : thrd_success;
}

int __wrap_thrd_detach(thrd_t thread) {
    return __wrap_pthread_detach(thread) ? thrd_error : thrd_success;
}

int __wrap_mtx_init(mtx_t *mutex, int type) {
    pthread_mutexattr_t how;
    pthread_mutexattr_init(&how);
    if (type & mtx_recursive)
        pthread_mutexattr_settype(&how, PTHREAD_MUTEX_RECURSIVE);
    return __wrap_pthread_mutex_init((pthread_mutex_t *)mutex, &how) ? thrd_error : thrd_success;
}

int __wrap_mtx_lock(mtx_t *mutex) {
    return __wrap_pthread_mutex_lock((pthread_mutex_t *)mutex) ? thrd_error : thrd_success;
}

int __wrap_mtx_trylock(mtx_t *mutex) {
    return __wrap_pthread_mutex_trylock((pthread_mutex_t *)mutex) ? thrd_busy : thrd_success;
}

int __wrap_mtx_unlock(mtx_t *mutex) {
    return __wrap_pthread_mutex_unlock((pthread_mutex_t *)mutex) ? thrd_error : thrd_success;
}

void __wrap_mtx_destroy(mtx_t *mutex) {
    __wrap_pthread_mutex_destroy((pthread_mutex_t *)mutex);
}

int __wrap_cnd_init(cnd_t *condition) {
    return __wrap_pthread_cond_init((pthread_cond_t *)condition, NULL) ? thrd_error : thrd_success;
}

void __wrap_cnd_destroy(cnd_t *condition) {
    __wrap_pthread_cond_destroy((pthread_cond_t *)condition);
}

int __wrap_cnd_wait(cnd_t *condition, mtx_t *mutex) {
    (void)condition;
    return waits((pthread_mutex_t *)mutex, "cnd_wait", 0, NULL) ? thrd_error : thrd_success;
}

int __wrap_cnd_signal(cnd_t *condition) {
    (void)condition;
    return signals("signal");
}

int __wrap_cnd_broadcast(cnd_t *condition) {
    (void)condition;
    return signals("broadcast");
}
