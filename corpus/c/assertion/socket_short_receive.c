// A stream has no messages: two that were sent may come as one.
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>

static int ends[2];

static void *sender(void *p)
{
    send(ends[0], "ab", 2, 0);
    send(ends[0], "cd", 2, 0);
    return p;
}

int main(void)
{
    pthread_t t;
    char text[8];
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    pthread_create(&t, NULL, sender, NULL);
    int got = recv(ends[1], text, sizeof text, 0);
    pthread_join(t, NULL);
    assert(got == 2); // expect: assertion
    return 0;
}
