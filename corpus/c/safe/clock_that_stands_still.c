// With a limit on how often clocks go on, they never go back; a new thread goes on with what is left.
// variant: --clock-steps 0 -DAFTER=0
// variant: --clock-steps 1 -DAFTER=1
// variant: --clock-steps 3 -DAFTER=3
// variant: --clock-steps 30 -DAFTER=7
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

static time_t begin;
static sem_t none;

static time_t reads(time_t last)
{
    time_t now = time(0);
    assert(now >= last);
    return now;
}

static void *goes_on(void *unused)
{
    time_t last = reads(begin);
    struct timespec end = {last, 500000000};
    int late = sem_timedwait(&none, &end) != 0;
    time_t now = reads(last);
    assert(late || now == last);
    last = reads(reads(now));
    (void)last;
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&none, 0, 0);
    begin = time(0);
    reads(begin);
    pthread_create(&thread, 0, goes_on, 0);
    sem_post(&none);
    pthread_join(thread, 0);
    time_t end = reads(begin);
    assert(end <= begin + AFTER);
    if (AFTER < 7)
        assert(end == begin + AFTER);
    return 0;
}
