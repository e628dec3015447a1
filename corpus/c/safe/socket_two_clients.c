// Two clients are accepted in either order, and each gets its own answer.
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un at = {AF_UNIX, "socket"};

static void *client(void *name)
{
    char c = 0;
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert(connect(fd, (struct sockaddr *)&at, sizeof at) == 0);
    send(fd, name, 1, 0);
    assert(recv(fd, &c, 1, 0) == 1 && c == *(char *)name);
    return name;
}

int main(void)
{
    pthread_t a, b;
    char c;
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    bind(listener, (struct sockaddr *)&at, sizeof at);
    listen(listener, 4);
    pthread_create(&a, NULL, client, "a");
    pthread_create(&b, NULL, client, "b");
    for (int i = 0; i < 2; i++)
    {
        int fd = accept(listener, NULL, NULL);
        assert(recv(fd, &c, 1, 0) == 1);
        send(fd, &c, 1, 0);
    }
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
