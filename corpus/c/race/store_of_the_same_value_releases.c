// The store changes nothing, but who reads it learns of `data`: only in the other order there is a race.
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int flag = 1;

static void *stores(void *unused)
{
    data = 1; // expect: data-race
    atomic_store_explicit(&flag, 1, memory_order_release);
    return unused;
}

static void *reads(void *unused)
{
    if (atomic_load_explicit(&flag, memory_order_acquire))
        data = 2; // expect: data-race
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, stores, 0);
    pthread_create(&threads[1], 0, reads, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
