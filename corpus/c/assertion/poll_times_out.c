// A poll with a time-out may time out, however long it is.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *send(void *p)
{
    write(ends[1], "x", 1);
    return p;
}

int main(void)
{
    pthread_t t;
    pipe(ends);
    pthread_create(&t, NULL, send, NULL);
    struct pollfd fd = {ends[0], POLLIN, 0};
    assert(poll(&fd, 1, 10000) == 1); // expect: assertion
    pthread_join(t, NULL);
    return 0;
}
