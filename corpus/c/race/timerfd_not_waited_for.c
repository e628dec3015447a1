// That a timer has not expired orders nothing after the thread that armed it.
#include <pthread.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int timer, data;

static void *arm(void *unused)
{
    struct itimerspec soon = {{0, 0}, {1, 0}};
    timerfd_settime(timer, 0, &soon, NULL);
    data = 1; // expect: data-race
    return unused;
}

int main(void)
{
    pthread_t thread;
    uint64_t count;
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    pthread_create(&thread, NULL, arm, NULL);
    if (read(timer, &count, sizeof count) == sizeof count)
        return data; // expect: data-race
    pthread_join(thread, NULL);
    return 0;
}
