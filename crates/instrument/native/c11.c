/* C11 threads, by the runtime's forms of pthreads. This text stands behind runtime.c, in one file. In glibc a `mtx_t` is a
   `pthread_mutex_t`, a `cnd_t` a `pthread_cond_t`, a `thrd_t` a `pthread_t`, a `tss_t` a
   `pthread_key_t`, and a `once_flag` a `pthread_once_t`. */

#include <threads.h>

static int code_of(int error) {
    switch (error) {
    case 0:
        return thrd_success;
    case EBUSY:
        return thrd_busy;
    case ENOMEM:
        return thrd_nomem;
    case ETIMEDOUT:
        return thrd_timedout;
    default:
        return thrd_error;
    }
}

int __selvedge_thrd_create(thrd_t *handle, thrd_start_t body, void *argument) {
    return code_of(create(handle, NULL, (struct start){NULL, body, argument}));
}

int __selvedge_thrd_join(thrd_t handle, int *result) {
    void *word;
    int error = __selvedge_pthread_join(handle, &word);
    if (!error && result)
        *result = (int)(intptr_t)word;
    return code_of(error);
}

int __selvedge_thrd_detach(thrd_t handle) {
    return code_of(__selvedge_pthread_detach(handle));
}

__attribute__((noreturn)) void __selvedge_thrd_exit(int result) {
    pthread_exit((void *)(intptr_t)result);
}

int __selvedge_mtx_init(mtx_t *mutex, int type) {
    int label, outcome = enter(OP_INIT, mutex, -1, &label);
    int result = mtx_init(mutex, type);
    if (outcome != FREE) {
        has_made(label, mutex);
        leave();
    }
    return result;
}

void __selvedge_mtx_destroy(mtx_t *mutex) {
    __selvedge_pthread_mutex_destroy((pthread_mutex_t *)mutex);
}

int __selvedge_mtx_lock(mtx_t *mutex) {
    return code_of(__selvedge_pthread_mutex_lock((pthread_mutex_t *)mutex));
}

int __selvedge_mtx_trylock(mtx_t *mutex) {
    return code_of(__selvedge_pthread_mutex_trylock((pthread_mutex_t *)mutex));
}

int __selvedge_mtx_timedlock(mtx_t *mutex, const struct timespec *deadline) {
    return code_of(__selvedge_pthread_mutex_timedlock((pthread_mutex_t *)mutex, deadline));
}

int __selvedge_mtx_unlock(mtx_t *mutex) {
    return code_of(__selvedge_pthread_mutex_unlock((pthread_mutex_t *)mutex));
}

int __selvedge_cnd_init(cnd_t *condition) {
    return code_of(__selvedge_pthread_cond_init((pthread_cond_t *)condition, NULL));
}

void __selvedge_cnd_destroy(cnd_t *condition) {
    __selvedge_pthread_cond_destroy((pthread_cond_t *)condition);
}

int __selvedge_cnd_wait(cnd_t *condition, mtx_t *mutex) {
    return code_of(__selvedge_pthread_cond_wait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex));
}

int __selvedge_cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *deadline) {
    return code_of(__selvedge_pthread_cond_timedwait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex, deadline));
}

int __selvedge_cnd_signal(cnd_t *condition) {
    return code_of(__selvedge_pthread_cond_signal((pthread_cond_t *)condition));
}

int __selvedge_cnd_broadcast(cnd_t *condition) {
    return code_of(__selvedge_pthread_cond_broadcast((pthread_cond_t *)condition));
}

void __selvedge_call_once(once_flag *flag, void (*body)(void)) {
    __selvedge_pthread_once((pthread_once_t *)flag, body);
}

int __selvedge_tss_create(tss_t *key, tss_dtor_t destructor) {
    return code_of(__selvedge_pthread_key_create(key, destructor));
}

void __selvedge_tss_delete(tss_t key) {
    __selvedge_pthread_key_delete(key);
}
