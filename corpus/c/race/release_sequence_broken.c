// A plain relaxed store of another thread ends the release sequence; a read-modify-write would have continued it.
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int flag;

static void *producer(void *unused)
{
    data = 42; // expect: data-race
    atomic_store_explicit(&flag, 1, memory_order_release);
    return unused;
}

static void *meddler(void *unused)
{
    if (atomic_load_explicit(&flag, memory_order_relaxed) == 1)
        atomic_store_explicit(&flag, 2, memory_order_relaxed);
    return unused;
}

int main(void)
{
    int seen = 0;
    pthread_t a, b;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, meddler, 0);
    if (atomic_load_explicit(&flag, memory_order_acquire) == 2)
        seen = data;
    pthread_join(a, 0);
    pthread_join(b, 0);
    return seen & 0;
}
