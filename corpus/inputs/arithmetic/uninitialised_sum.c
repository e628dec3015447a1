// A variable without a value may be the greatest number, also in memory that threads share.
// options: --property overflow
#include <pthread.h>
#include <stdlib.h>

static int *shared;

static void *worker(void *argument)
{
    (*shared)++; // expect: arithmetic.signed-overflow
    return argument;
}

int main(void)
{
    pthread_t thread;
    shared = malloc(sizeof *shared);
    if (!shared)
        return 0;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    return 0;
}
