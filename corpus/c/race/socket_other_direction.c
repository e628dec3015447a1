// Two threads use one end: the one that sends there tells nothing to the one that receives there.
#include <pthread.h>
#include <sys/socket.h>

static int ends[2], data;

static void *sender(void *p)
{
    data = 1; // expect: data-race
    send(ends[0], "x", 1, 0);
    return p;
}

int main(void)
{
    pthread_t t;
    char c;
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    send(ends[1], "y", 1, 0);
    pthread_create(&t, NULL, sender, NULL);
    recv(ends[0], &c, 1, 0);
    int seen = data; // expect: data-race
    pthread_join(t, NULL);
    return seen & 0;
}
