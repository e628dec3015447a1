// try and timed forms fail exactly while the lock is held in a mode that excludes them.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct timespec soon = {0, 1};

static void *while_read(void *unused)
{
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    assert(pthread_rwlock_timedwrlock(&lock, &soon) == ETIMEDOUT);
    assert(pthread_rwlock_tryrdlock(&lock) == 0);
    return pthread_rwlock_unlock(&lock), unused;
}

static void *while_written(void *unused)
{
    assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
    assert(pthread_rwlock_timedrdlock(&lock, &soon) == ETIMEDOUT);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_rwlock_rdlock(&lock);
    pthread_create(&thread, 0, while_read, 0);
    pthread_join(thread, 0);
    pthread_rwlock_unlock(&lock);
    assert(pthread_rwlock_timedwrlock(&lock, &soon) == 0);
    pthread_create(&thread, 0, while_written, 0);
    pthread_join(thread, 0);
    pthread_rwlock_unlock(&lock);
    return 0;
}
