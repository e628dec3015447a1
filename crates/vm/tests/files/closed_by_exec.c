// FD_CLOEXEC of descriptors, however they were made.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void show(const char *what, int fd)
{
    errno = 0;
    int flags = fcntl(fd, F_GETFD);
    printf("%s: %d %d\n", what, flags, errno);
}

static void both(const char *what, int without, int with)
{
    printf("%s\n", what);
    show("  without", without);
    show("  with", with);
    close(without);
    close(with);
}

int main(void)
{
    int a[2], b[2];
    setvbuf(stdout, NULL, _IONBF, 0);
    show("stdin", 0);
    printf("%d\n", fcntl(0, F_SETFD, FD_CLOEXEC));
    show("stdin", 0);
    show("closed", 77);
    show("none", -1);
    printf("%d %d\n", fcntl(77, F_SETFD, 1), errno == EBADF);
    both("open", open("given", O_RDONLY), open("given", O_RDONLY | O_CLOEXEC));
    both("again", open("given", O_RDONLY), open("given", O_RDONLY));
    pipe(a);
    pipe2(b, O_CLOEXEC);
    both("pipe, read", a[0], b[0]);
    int copy = fcntl(b[1], F_DUPFD, 0);
    both("copy", copy, fcntl(a[1], F_DUPFD_CLOEXEC, 20));
    both("dup2", dup2(b[1], 30), dup3(b[1], 31, O_CLOEXEC));
    printf("%d", dup3(b[1], 32, O_NONBLOCK));
    printf(" %d\n", errno == EINVAL);
    both("pipe, write", a[1], b[1]);
    both("eventfd", eventfd(0, 0), eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    both("timerfd", timerfd_create(CLOCK_MONOTONIC, 0), timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
    both("epoll", epoll_create(3), epoll_create1(EPOLL_CLOEXEC));
    both("socket", socket(AF_UNIX, SOCK_STREAM, 0), socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    socketpair(AF_UNIX, SOCK_STREAM, 0, a);
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, b);
    both("first", a[0], b[0]);
    both("second", a[1], b[1]);
    FILE *one = fopen("given", "r"), *two = fopen("given", "re");
    show("fopen", fileno(one));
    show("fopen e", fileno(two));
    fcntl(fileno(one), F_SETFD, fcntl(fileno(one), F_GETFD) | FD_CLOEXEC);
    show("set", fileno(one));
    fcntl(fileno(one), F_SETFD, 0);
    show("unset", fileno(one));
    printf("%d\n", fcntl(fileno(two), F_GETFL) & 0xfff);
    fclose(one);
    fclose(two);
    return 0;
}
