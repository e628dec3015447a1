// The data of an entry changes after the entry was added: a server that is told of the entry may read it at the same time.
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int set, weight;

static void *serve(void *unused)
{
    struct epoll_event event;
    epoll_wait(set, &event, 1, -1);
    return *(int *)event.data.ptr ? unused : 0; // expect: data-race
}

int main(void)
{
    pthread_t server;
    set = epoll_create1(0);
    int source = eventfd(1, 0);
    pthread_create(&server, 0, serve, 0);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &weight};
    epoll_ctl(set, EPOLL_CTL_ADD, source, &event);
    weight = 3; // expect: data-race
    pthread_join(server, 0);
    return 0;
}
