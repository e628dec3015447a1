// The loop reads `a` before it changes and `b` after: the thread leaves with the old value of `a`.
// Holding it at the loop's head until a whole round would leave there misses that.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a, b;

static void *waits(void *arg)
{
    int first, second;
    do {
        first = atomic_load(&a);
        second = atomic_load(&b);
    } while (!first && !second);
    assert(first); // expect: assertion
    return arg;
}

int main(void)
{
    pthread_t waiter;
    pthread_create(&waiter, 0, waits, 0);
    atomic_store(&a, 1);
    atomic_store(&b, 1);
    pthread_join(waiter, 0);
    return 0;
}
