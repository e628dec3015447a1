// Between two tries a function with an array of its own is called: a round that changes nothing,
// though locals come and go.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int value;

static int pause_a_little(int n)
{
    int steps[2] = {n, n + 1};
    return steps[n & 1];
}

static void *add(void *unused)
{
    int old = atomic_load(&value);
    while (!atomic_compare_exchange_weak(&value, &old, old + 1))
        pause_a_little(3);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, add, 0);
    pthread_create(&two, 0, add, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(atomic_load(&value) == 2);
    return 0;
}
