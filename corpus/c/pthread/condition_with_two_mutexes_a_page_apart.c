// Two timed waits on one condition variable with two mutexes, whose addresses differ in one bit only: nothing else brings the
// two waits together.
#include <pthread.h>

static struct {
    _Alignas(8192) pthread_mutex_t first;
    _Alignas(4096) pthread_mutex_t second;
} locks = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *waiter(void *lock)
{
    struct timespec soon = {0, 1};
    pthread_mutex_lock(lock);
    pthread_cond_timedwait(&changed, lock, &soon); // expect: pthread.cond-two-mutexes
    pthread_mutex_unlock(lock);
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, waiter, &locks.first);
    pthread_create(&threads[1], 0, waiter, &locks.second);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
