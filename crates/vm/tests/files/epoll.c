// Sets of descriptors: what epoll answers in one thread.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static void say(const char *what, int result) { printf("%s: %d, %s\n", what, result, result < 0 ? strerror(errno) : "-"); }

static int change(int set, int how, int fd, uint32_t events, uint64_t data)
{
    struct epoll_event event = {.events = events, .data.u64 = data};
    return epoll_ctl(set, how, fd, &event);
}

static void wait_for(int set, int most)
{
    struct epoll_event events[8];
    int count = epoll_wait(set, events, most, 0);
    // Which is first is left open.
    for (int i = 0; i < count; i++)
        for (int j = i; j > 0 && events[j].data.u64 < events[j - 1].data.u64; j--)
        {
            struct epoll_event other = events[j];
            events[j] = events[j - 1];
            events[j - 1] = other;
        }
    printf("%d:", count);
    for (int i = 0; i < count; i++)
        printf(" %#x %llu", events[i].events, (unsigned long long)events[i].data.u64);
    printf("%s\n", count < 0 ? strerror(errno) : "");
}

int main(void)
{
    int ends[2], pair[2], set = epoll_create1(EPOLL_CLOEXEC), counter = eventfd(0, EFD_NONBLOCK), file = open("given", O_RDONLY);
    char byte = 'x';
    uint64_t value = 3;
    pipe(ends);
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    say("no flags", epoll_create1(1));
    say("no size", epoll_create(0));
    say("add a pipe", change(set, EPOLL_CTL_ADD, ends[0], EPOLLIN, 1));
    say("add it again", change(set, EPOLL_CTL_ADD, ends[0], EPOLLIN, 1));
    say("add the other end", change(set, EPOLL_CTL_ADD, ends[1], EPOLLOUT, 2));
    say("add a file", change(set, EPOLL_CTL_ADD, file, EPOLLIN, 3));
    say("add nothing", change(set, EPOLL_CTL_ADD, 77, EPOLLIN, 3));
    say("add to nothing", change(77, EPOLL_CTL_ADD, ends[0], EPOLLIN, 3));
    say("add to a pipe", change(ends[0], EPOLL_CTL_ADD, ends[1], EPOLLIN, 3));
    say("add to itself", change(set, EPOLL_CTL_ADD, set, EPOLLIN, 3));
    say("change what is not there", change(set, EPOLL_CTL_MOD, counter, EPOLLIN, 3));
    say("remove what is not there", epoll_ctl(set, EPOLL_CTL_DEL, counter, 0));
    say("another operation", change(set, 9, counter, EPOLLIN, 3));
    wait_for(set, 8);
    write(ends[1], &byte, 1);
    wait_for(set, 8);
    wait_for(set, 0);
    wait_for(ends[0], 1);
    wait_for(99, 1);
    say("do not ask the other end", change(set, EPOLL_CTL_MOD, ends[1], 0, 4));
    wait_for(set, 8);
    say("add a counter once", change(set, EPOLL_CTL_ADD, counter, EPOLLIN | EPOLLONESHOT, 5));
    wait_for(set, 8);
    write(counter, &value, sizeof value);
    wait_for(set, 8);
    wait_for(set, 8);
    say("ask once more", change(set, EPOLL_CTL_MOD, counter, EPOLLIN | EPOLLOUT | EPOLLONESHOT, 6));
    wait_for(set, 8);
    wait_for(set, 8);
    say("add a socket", change(set, EPOLL_CTL_ADD, pair[0], EPOLLIN | EPOLLRDHUP, 7));
    wait_for(set, 8);
    write(pair[1], &byte, 1);
    wait_for(set, 8);
    close(pair[1]);
    wait_for(set, 8);
    say("remove the pipe", epoll_ctl(set, EPOLL_CTL_DEL, ends[0], 0));
    wait_for(set, 8);
    close(ends[0]);
    wait_for(set, 8);
    // A descriptor that is closed leaves the set, but not if another one stands for the same open file.
    int copy = dup(pair[0]);
    close(pair[0]);
    wait_for(set, 8);
    close(copy);
    wait_for(set, 8);
    struct pollfd one = {set, POLLIN | POLLOUT, 0};
    printf("poll: %d %#x\n", poll(&one, 1, 0), one.revents);
    close(ends[1]);
    printf("poll: %d %#x\n", poll(&one, 1, 0), one.revents);
    say("read a set", (int)read(set, &value, sizeof value));
    say("close", close(set));
    wait_for(set, 8);
    return 0;
}
