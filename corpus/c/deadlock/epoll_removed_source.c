// The only descriptor of the set may leave it before the thread has waited for it.
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int set, source;

static void *serve(void *unused)
{
    struct epoll_event event;
    epoll_wait(set, &event, 1, -1); // expect: deadlock
    return unused;
}

int main(void)
{
    pthread_t server;
    set = epoll_create1(0);
    source = eventfd(1, 0);
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(set, EPOLL_CTL_ADD, source, &event);
    pthread_create(&server, 0, serve, 0);
    epoll_ctl(set, EPOLL_CTL_DEL, source, 0);
    pthread_join(server, 0); // expect: deadlock
    return 0;
}
