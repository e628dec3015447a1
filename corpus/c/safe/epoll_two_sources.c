// A thread waits for a set of descriptors, and another one adds to the set while it waits. What is said with an entry leads to data
// that was written before.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct source
{
    int fd, weight;
};

static int set;
static struct source first = {0, 1}, second;

static void *serve(void *unused)
{
    int sum = 0;
    while (sum < 3)
    {
        struct epoll_event events[2];
        int count = epoll_wait(set, events, 2, -1);
        assert(count == 1 || count == 2);
        for (int i = 0; i < count; i++)
        {
            struct source *source = events[i].data.ptr;
            uint64_t value;
            assert(events[i].events == EPOLLIN && read(source->fd, &value, sizeof value) == sizeof value);
            sum += source->weight;
        }
    }
    assert(sum == 3);
    return unused;
}

static void add(struct source *source)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = source};
    assert(epoll_ctl(set, EPOLL_CTL_ADD, source->fd, &event) == 0);
}

int main(void)
{
    pthread_t server;
    set = epoll_create1(0);
    first.fd = eventfd(0, 0);
    add(&first);
    pthread_create(&server, 0, serve, 0);
    second.fd = eventfd(1, 0);
    second.weight = 2;
    add(&second); // ready at once: wakes the server
    assert(eventfd_write(first.fd, 1) == 0);
    pthread_join(server, 0);
    close(first.fd);
    close(second.fd);
    struct epoll_event none;
    assert(epoll_wait(set, &none, 1, 0) == 0);
    return close(set);
}
