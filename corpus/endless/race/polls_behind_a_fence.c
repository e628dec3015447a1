// Older code waits for a plain variable and trusts in a full barrier in the loop.
#include <pthread.h>

int stop;

static void *work(void *arg)
{
    while (!stop) // expect: data-race
        __sync_synchronize();
    return arg;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, 0, work, 0);
    stop = 1; // expect: data-race
    pthread_join(worker, 0);
    return 0;
}
