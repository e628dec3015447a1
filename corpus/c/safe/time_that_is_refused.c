// Calls refuse a time with nanoseconds of a second or more, where they would have to wait.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t sem;

static void *wait_for_them(void *unused)
{
    (void)unused;
    struct timespec wrong = {0, 1000000000}, negative = {-1, 0}, right = {0, 0};
    assert(pthread_mutex_timedlock(&mutex, &wrong) == EINVAL);
    assert(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &wrong) == EINVAL);
    assert(pthread_mutex_timedlock(&mutex, &negative) == ETIMEDOUT);
    assert(pthread_rwlock_timedrdlock(&rwlock, &wrong) == EINVAL);
    assert(pthread_rwlock_timedwrlock(&rwlock, &right) == ETIMEDOUT);
    assert(sem_timedwait(&sem, &wrong) == -1 && errno == EINVAL);
    assert(nanosleep(&wrong, 0) == -1 && errno == EINVAL);
    assert(nanosleep(&negative, 0) == -1 && errno == EINVAL);
    assert(nanosleep(&right, 0) == 0);
    assert(clock_nanosleep(CLOCK_MONOTONIC, 0, &wrong, 0) == EINVAL);
    assert(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &right, 0) == EINVAL);
    assert(clock_nanosleep(99, 0, &right, 0) == EINVAL);
    assert(thrd_sleep(&wrong, 0) == -2);
    return 0;
}

int main(void)
{
    sem_init(&sem, 0, 0);
    pthread_mutex_lock(&mutex);
    pthread_rwlock_wrlock(&rwlock);
    pthread_t thread;
    pthread_create(&thread, 0, wait_for_them, 0);
    pthread_join(thread, 0);
    return 0;
}
