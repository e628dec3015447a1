// The timer may expire before the work is done, however long it was set to.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/timerfd.h>

static _Atomic int done;

static void *work(void *unused)
{
    done = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct itimerspec later = {{0, 0}, {60, 0}};
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    pthread_create(&thread, NULL, work, NULL);
    timerfd_settime(timer, 0, &later, NULL);
    struct pollfd one = {timer, POLLIN, 0};
    poll(&one, 1, -1);
    assert(done); // expect: assertion
    pthread_join(thread, NULL);
    return 0;
}
