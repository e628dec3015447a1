// A loop that looks at a timer again and again: it ends when the timer expires, which it does in the end.
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
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    pthread_create(&thread, NULL, arm, NULL);
    while (read(timer, &count, sizeof count) != sizeof count)
        ;
    assert(count == 1 && data == 1);
    pthread_join(thread, NULL);
    return 0;
}
