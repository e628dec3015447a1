// Each round of the loop changes `b` and changes it back. Such a round has an effect: another thread may
// see the value in between.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a, b;

static void *waits(void *arg)
{
    while (!atomic_load(&a)) {
        atomic_fetch_or(&b, 1);
        atomic_fetch_and(&b, 2);
    }
    return arg;
}

static void *looks(void *arg)
{
    int first = atomic_load(&b);
    atomic_store(&a, 1);
    int second = atomic_load(&b);
    assert(first != 1 || second != 0); // expect: assertion
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, waits, 0);
    pthread_create(&threads[1], 0, looks, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
