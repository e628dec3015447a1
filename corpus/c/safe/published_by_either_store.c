// Both stores publish the data.
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int flag, hint;

static void publish(void)
{
    if (atomic_load_explicit(&hint, memory_order_relaxed) == 1 && atomic_load_explicit(&hint, memory_order_relaxed) == 0)
        atomic_store_explicit(&flag, 1, memory_order_seq_cst);
    else
        atomic_store_explicit(&flag, 1, memory_order_release);
}

static void *writer(void *unused)
{
    data = 42;
    publish();
    return unused;
}

int main(void)
{
    int seen = 0;
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    atomic_store_explicit(&hint, 1, memory_order_relaxed);
    atomic_store_explicit(&hint, 0, memory_order_relaxed);
    if (atomic_load_explicit(&flag, memory_order_acquire))
        seen = data;
    pthread_join(thread, 0);
    return seen & 0;
}
