// A pipe that does not block says so.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *send(void *p)
{
    assert(write(ends[1], "x", 1) == 1);
    return p;
}

int main(void)
{
    pthread_t t;
    char byte = 0;
    pipe2(ends, O_NONBLOCK);
    pthread_create(&t, NULL, send, NULL);
    long n = read(ends[0], &byte, 1);
    assert(n == 1 ? byte == 'x' : n == -1 && errno == EAGAIN);
    pthread_join(t, NULL);
    assert(n == 1 || read(ends[0], &byte, 1) == 1);
    return 0;
}
