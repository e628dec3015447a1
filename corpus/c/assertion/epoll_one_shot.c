// Two threads wait for an entry of one shot. It is reported to one of them, and nobody asks for it again.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

static int set;
static atomic_int told;

static void *serve(void *unused)
{
    struct epoll_event event;
    if (epoll_wait(set, &event, 1, 0) == 1)
        told++;
    return unused;
}

int main(void)
{
    pthread_t one, two;
    set = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT};
    epoll_ctl(set, EPOLL_CTL_ADD, eventfd(1, 0), &event);
    pthread_create(&one, 0, serve, 0);
    pthread_create(&two, 0, serve, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(told == 2); // expect: assertion
    return 0;
}
