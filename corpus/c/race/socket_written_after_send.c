// What is written after the message was sent is not ordered with who receives it.
#include <pthread.h>
#include <sys/socket.h>

static int ends[2], data;

static void *other(void *p)
{
    send(ends[0], "x", 1, 0);
    data = 1; // expect: data-race
    return p;
}

int main(void)
{
    pthread_t t;
    char c;
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    pthread_create(&t, NULL, other, NULL);
    recv(ends[1], &c, 1, 0);
    int seen = data; // expect: data-race
    pthread_join(t, NULL);
    return seen & 0;
}
