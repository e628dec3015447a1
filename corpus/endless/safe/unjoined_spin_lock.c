// A lock made of compare-and-swap, two threads that take it, and nobody who waits for them.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int held;
static int shared;

static void *work(void *unused)
{
    int free = 0;
    while (!atomic_compare_exchange_strong(&held, &free, 1))
        free = 0;
    shared++;
    atomic_store(&held, 0);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, 0);
    return 0;
}
