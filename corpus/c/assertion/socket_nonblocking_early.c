// A receive that does not wait may come before or after what is sent.
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>

static int ends[2];

static void *sender(void *p)
{
    send(ends[0], "x", 1, 0);
    return p;
}

int main(void)
{
    pthread_t t;
    char c;
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    pthread_create(&t, NULL, sender, NULL);
    int got = recv(ends[1], &c, 1, MSG_DONTWAIT);
    pthread_join(t, NULL);
    assert(got == 1); // expect: assertion
    return 0;
}
