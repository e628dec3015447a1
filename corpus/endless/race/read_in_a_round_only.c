// `hint` is read in rounds of the loop that lead nowhere, and written without synchronisation once the
// thread has left the loop: the race is with a read that changes nothing.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int go, left, hint;

static void *waits(void *arg)
{
    while (!atomic_load(&go))
        atomic_load(&hint); // expect: data-race
    atomic_store_explicit(&left, 1, memory_order_relaxed);
    return arg;
}

static void *writes(void *arg)
{
    if (atomic_load_explicit(&left, memory_order_relaxed))
        *(int *)&hint = 1; // expect: data-race
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, waits, 0);
    pthread_create(&threads[1], 0, writes, 0);
    atomic_store(&go, 1);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
