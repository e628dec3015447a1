// exit is called by a thread that does not know whether the other one has ended.
#include <pthread.h>
#include <stdlib.h>

static int x;

static void at_the_end(void)
{
    x++; // expect: data-race
}

static void *thread(void *unused)
{
    x++; // expect: data-race
    return unused;
}

int main(void)
{
    pthread_t t;
    atexit(at_the_end);
    pthread_create(&t, 0, thread, 0);
    pthread_detach(t);
    exit(0);
}
