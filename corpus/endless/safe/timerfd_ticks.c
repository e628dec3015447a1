// A server's clock: a periodic timer that is never disarmed, and a thread that ends.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

static _Atomic int stop;

static void *work(void *unused)
{
    stop = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct itimerspec every = {{1, 0}, {1, 0}};
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    timerfd_settime(timer, 0, &every, NULL);
    pthread_create(&thread, NULL, work, NULL);
    while (!stop) {
        uint64_t count;
        struct pollfd one = {timer, POLLIN, 0};
        assert(poll(&one, 1, -1) == 1);
        assert(read(timer, &count, sizeof count) == sizeof count && count >= 1 && count <= 2);
    }
    pthread_join(thread, NULL);
    return 0;
}
