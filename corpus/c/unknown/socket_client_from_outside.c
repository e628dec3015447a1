// One client is in the program; the second thread waits for one from outside, which is no deadlock.
// unknown: a peer outside the program
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int listener;

static void *server(void *p)
{
    close(accept(listener, NULL, NULL));
    return p;
}

int main(void)
{
    pthread_t a, b;
    struct sockaddr_un at = {AF_UNIX, "socket"};
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    bind(listener, (struct sockaddr *)&at, sizeof at);
    listen(listener, 1);
    pthread_create(&a, NULL, server, NULL);
    pthread_create(&b, NULL, server, NULL);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    connect(fd, (struct sockaddr *)&at, sizeof at);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
