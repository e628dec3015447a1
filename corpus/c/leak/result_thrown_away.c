// What a thread returns is lost when who joins it does not take it, and when a detached thread has ended.
// options: --property memory,leak
#include <pthread.h>
#include <stdlib.h>

static void *compute(void *unused)
{
    (void)unused;
    return malloc(10); // expect: memory.leak
}

static void *alone(void *unused)
{
    (void)unused;
    pthread_detach(pthread_self());
    return malloc(20); // expect: memory.leak
}

int main(void)
{
    pthread_t joined, detached;
    pthread_create(&joined, 0, compute, 0);
    pthread_create(&detached, 0, alone, 0);
    pthread_join(joined, 0);
    return 0;
}
