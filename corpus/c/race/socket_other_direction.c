// Two threads use one end: the one that sends there tells nothing to the one that receives there, not even if that comes later.
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

static int ends[2], data;
static atomic_int sent;

static void *sender(void *p)
{
    data = 1; // expect: data-race
    send(ends[0], "x", 1, 0);
    atomic_store_explicit(&sent, 1, memory_order_relaxed);
    return p;
}

int main(void)
{
    pthread_t t;
    char c;
    int seen = 0;
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    send(ends[1], "y", 1, 0);
    pthread_create(&t, NULL, sender, NULL);
    if (atomic_load_explicit(&sent, memory_order_relaxed))
    {
        recv(ends[0], &c, 1, 0);
        seen = data; // expect: data-race
    }
    pthread_join(t, NULL);
    return seen & 0;
}
