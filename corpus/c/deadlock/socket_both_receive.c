// Each end waits for the other one to begin.
#include <pthread.h>
#include <sys/socket.h>

static int ends[2];

static void *other(void *p)
{
    char c;
    recv(ends[1], &c, 1, 0);
    send(ends[1], "x", 1, 0);
    return p;
}

int main(void)
{
    pthread_t t;
    char c;
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    pthread_create(&t, NULL, other, NULL);
    recv(ends[0], &c, 1, 0); // expect: deadlock
    send(ends[0], "x", 1, 0);
    pthread_join(t, NULL);
    return 0;
}
