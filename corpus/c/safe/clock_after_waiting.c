// The clock of a thread that has slept, or whose wait has timed out, is not before the end of that.
// variant: -DHOW=1
// variant: -DHOW=2
// variant: -DHOW=3
// variant: -DHOW=4
// variant: -DHOW=5
// variant: -DHOW=6
// variant: -DHOW=7
// variant: -DHOW=8
// variant: -DHOW=9
// variant: -DHOW=10
// variant: -DHOW=11
// variant: -DHOW=12
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static sem_t none;
static unsigned word;

static void *holds(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_rwlock_wrlock(&shared);
    pthread_rwlock_unlock(&shared);
    return unused;
}

static void *sleeps(void *unused)
{
    sleep(20);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec end, length = {20, 0};
    int late = 1;
    sem_init(&none, 0, 0);
    clock_gettime(HOW == 8 ? CLOCK_MONOTONIC : CLOCK_REALTIME, &end);
    time_t begin = time(0);
    end.tv_sec += 21;
    pthread_create(&thread, 0, HOW == 10 ? sleeps : holds, 0);
    switch (HOW) {
    case 1:
        pthread_mutex_lock(&lock);
        late = pthread_cond_timedwait(&changed, &lock, &end) == ETIMEDOUT;
        pthread_mutex_unlock(&lock);
        break;
    case 2:
        late = pthread_mutex_timedlock(&lock, &end) == ETIMEDOUT;
        if (!late)
            pthread_mutex_unlock(&lock);
        break;
    case 3:
        late = sem_timedwait(&none, &end) != 0 && errno == ETIMEDOUT;
        break;
    case 4:
        late = pthread_rwlock_timedrdlock(&shared, &end) == ETIMEDOUT;
        if (!late)
            pthread_rwlock_unlock(&shared);
        break;
    case 5:
        assert(sleep(20) == 0);
        break;
    case 6:
        assert(nanosleep(&length, 0) == 0);
        break;
    case 7:
        assert(poll(0, 0, 20000) == 0);
        break;
    case 8:
        assert(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, 0) == 0);
        break;
    case 9:
        late = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &length, 0, 0) != 0 && errno == ETIMEDOUT;
        break;
    case 10:
        break;
    case 11: // In time, and then a sleep of the same length.
        sem_post(&none);
        end.tv_sec = begin + 1;
        assert(sem_timedwait(&none, &end) == 0);
        sleep(1);
        assert(time(0) > begin);
        break;
    case 12: // A time-out, and then in time with the same deadline.
        end.tv_sec = begin + 1;
        assert(sem_timedwait(&none, &end) != 0);
        sem_post(&none);
        assert(sem_timedwait(&none, &end) == 0);
        assert(time(0) > begin);
        break;
    }
    if (HOW < 10)
        assert(!late || time(0) >= begin + 20);
    pthread_join(thread, 0);
    if (HOW == 10)
        assert(time(0) >= begin + 20);
    return 0;
}
