// A thread has ended, and could still be joined: its result is not lost.
// options: --property memory,leak
#include <pthread.h>
#include <stdlib.h>

static void *compute(void *unused)
{
    (void)unused;
    return malloc(10);
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, compute, 0);
    return 0;
}
