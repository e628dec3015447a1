// What a thread wrote before it armed a timer is seen by who waited for that timer.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int timer, data;

static void *arm(void *unused)
{
    struct itimerspec soon = {{0, 0}, {0, 1000}};
    data = 1;
    timerfd_settime(timer, 0, &soon, NULL);
    return unused;
}

int main(void)
{
    pthread_t thread;
    uint64_t count;
    timer = timerfd_create(CLOCK_MONOTONIC, 0);
    pthread_create(&thread, NULL, arm, NULL);
    read(timer, &count, sizeof count);
    assert(count == 1 && data == 1);
    pthread_join(thread, NULL);
    return 0;
}
