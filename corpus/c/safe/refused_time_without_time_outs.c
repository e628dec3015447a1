// What a call refuses is no time-out.
//
// options: --timeouts off
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;

int main(void)
{
    struct timespec wrong = {1, 1000000000};
    sem_init(&semaphore, 0, 0);
    assert(sem_timedwait(&semaphore, &wrong) == -1 && errno == EINVAL);
    pthread_mutex_lock(&mutex);
    assert(pthread_mutex_timedlock(&mutex, &wrong) == EINVAL);
    pthread_rwlock_wrlock(&lock);
    assert(pthread_rwlock_timedrdlock(&lock, &wrong) == EINVAL);
    assert(pthread_rwlock_timedwrlock(&lock, &wrong) == EINVAL);
    return 0;
}
