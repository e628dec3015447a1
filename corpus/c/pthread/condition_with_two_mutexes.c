// Two threads wait on one condition variable, each with its own mutex.
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *wait_with(void *lock)
{
    struct timespec soon = {0, 1};
    pthread_mutex_lock(lock);
    pthread_cond_timedwait(&changed, lock, &soon); // expect: pthread.cond-two-mutexes
    pthread_mutex_unlock(lock);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, wait_with, &first);
    wait_with(&second);
    pthread_join(thread, 0);
    return 0;
}
