// The pipe orders what is before the write, not what comes after it.
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static int data;

static void *send(void *p)
{
    write(ends[1], "!", 1);
    data = 1; // expect: data-race
    return p;
}

int main(void)
{
    pthread_t t;
    char byte;
    pipe(ends);
    pthread_create(&t, NULL, send, NULL);
    read(ends[0], &byte, 1);
    int seen = data; // expect: data-race
    pthread_join(t, NULL);
    return seen & 0;
}
