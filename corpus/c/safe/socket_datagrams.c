// Datagrams keep their bounds, and each comes once, in the order of its sender.
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>

static int ends[2];

static void *sender(void *p)
{
    send(ends[0], "ab", 2, 0);
    send(ends[0], "c", 1, 0);
    return p;
}

int main(void)
{
    pthread_t t;
    char text[8];
    socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
    pthread_create(&t, NULL, sender, NULL);
    assert(recv(ends[1], text, sizeof text, 0) == 2 && text[0] == 'a');
    assert(recv(ends[1], text, sizeof text, 0) == 1 && text[0] == 'c');
    pthread_join(t, NULL);
    return 0;
}
