// A server that polls for connections and for what they send.
#define _GNU_SOURCE
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un at = {AF_UNIX, "socket"};
static int value;

static void *client(void *p)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    value = 5;
    connect(fd, (struct sockaddr *)&at, sizeof at);
    send(fd, "x", 1, 0);
    close(fd);
    return p;
}

int main(void)
{
    pthread_t t;
    char c;
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    bind(listener, (struct sockaddr *)&at, sizeof at);
    listen(listener, 4);
    pthread_create(&t, NULL, client, NULL);
    struct pollfd fds[2] = {{listener, POLLIN, 0}, {-1, POLLIN, 0}};
    int ended = 0;
    while (!ended)
    {
        assert(poll(fds, 2, -1) > 0);
        if (fds[0].revents)
        {
            fds[1].fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
            assert(fds[1].fd >= 0);
        }
        if (fds[1].revents)
        {
            int got = recv(fds[1].fd, &c, 1, 0);
            assert(got >= 0 && value == 5);
            ended = got == 0;
        }
    }
    pthread_join(t, NULL);
    return 0;
}
