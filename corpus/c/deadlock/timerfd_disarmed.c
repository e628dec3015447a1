// One thread disarms the timer that the other one waits for.
// expect-anywhere: deadlock
#include <pthread.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int timer;

static void *stop(void *unused)
{
    struct itimerspec never = {{0, 0}, {0, 0}};
    timerfd_settime(timer, 0, &never, NULL);
    return unused;
}

int main(void)
{
    pthread_t thread;
    uint64_t count;
    struct itimerspec soon = {{0, 0}, {1, 0}};
    timer = timerfd_create(CLOCK_MONOTONIC, 0);
    timerfd_settime(timer, 0, &soon, NULL);
    pthread_create(&thread, NULL, stop, NULL);
    read(timer, &count, sizeof count);
    pthread_join(thread, NULL);
    return 0;
}
