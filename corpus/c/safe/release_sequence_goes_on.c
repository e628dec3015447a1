// Without a store of another thread, the store of 2 belongs to the release sequence of 1.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag, other;
static int data;

static void *writes(void *arg)
{
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    atomic_store_explicit(&flag, 2, memory_order_relaxed);
    return arg;
}

static void *reads(void *arg)
{
    if (atomic_load_explicit(&flag, memory_order_acquire) == 2) {
        int seen = data;
        (void)seen;
    }
    return arg;
}

// So many orders of stores are why an exploration by what is read looks cheap.
static void *noise(void *arg)
{
    atomic_store_explicit(&other, (int)(long)arg, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t t[7];
    pthread_create(&t[0], 0, reads, 0);
    pthread_create(&t[1], 0, writes, 0);
    for (long i = 2; i < 7; i++)
        pthread_create(&t[i], 0, noise, (void *)i);
    for (int i = 0; i < 7; i++)
        pthread_join(t[i], 0);
    return 0;
}
