// Who gets what it waits for in time finds that its clock is before the deadline.
// variant: -DHOW=1
// variant: -DHOW=2
// variant: -DHOW=3
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t posted;
static int ends[2];

static void *gives(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    sem_post(&posted);
    assert(write(ends[1], "x", 1) == 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec begin, end, now;
    sem_init(&posted, 0, 0);
    assert(pipe(ends) == 0);
    pthread_create(&thread, 0, gives, 0);
    pthread_mutex_lock(&lock);
    clock_gettime(CLOCK_REALTIME, &begin);
    end = begin;
    end.tv_nsec = 250000000;
    int in_time;
    if (HOW == 1) {
        in_time = pthread_cond_timedwait(&changed, &lock, &end) == 0;
        pthread_mutex_unlock(&lock);
    } else {
        pthread_mutex_unlock(&lock);
        struct pollfd first = {ends[0], POLLIN, 0};
        in_time = HOW == 2 ? sem_timedwait(&posted, &end) == 0 : poll(&first, 1, 250) == 1;
    }
    clock_gettime(CLOCK_REALTIME, &now);
    pthread_join(thread, 0);
    int before = now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec);
    assert(!in_time || !before); // expect: assertion
    return 0;
}
