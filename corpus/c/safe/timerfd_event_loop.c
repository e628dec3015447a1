// An event loop that waits for a periodic timer and for work, and disarms the timer when all is done.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int done, data;

static void *work(void *unused)
{
    uint64_t one = 1;
    data = 42;
    write(done, &one, sizeof one);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct itimerspec every = {{1, 0}, {1, 0}}, never = {{0, 0}, {0, 0}};
    int set = epoll_create1(0), timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK), ticks = 0;
    done = eventfd(0, 0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = timer};
    epoll_ctl(set, EPOLL_CTL_ADD, timer, &event);
    event.data.fd = done;
    epoll_ctl(set, EPOLL_CTL_ADD, done, &event);
    timerfd_settime(timer, 0, &every, NULL);
    pthread_create(&thread, NULL, work, NULL);
    for (int finished = 0; !finished;) {
        uint64_t count;
        assert(epoll_wait(set, &event, 1, -1) == 1);
        assert(read(event.data.fd, &count, sizeof count) == sizeof count && count >= 1);
        finished = event.data.fd == done;
        if (!finished && ++ticks == 2)
            timerfd_settime(timer, 0, &never, NULL);
    }
    assert(data == 42);
    pthread_join(thread, NULL);
    return 0;
}
