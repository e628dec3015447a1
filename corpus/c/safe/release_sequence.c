// A relaxed read-modify-write of another thread continues the release sequence that the store began.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int flag;

static void *producer(void *unused)
{
    data = 42;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return unused;
}

static void *counter(void *unused)
{
    atomic_fetch_add_explicit(&flag, 10, memory_order_relaxed);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, counter, 0);
    if (atomic_load_explicit(&flag, memory_order_acquire) == 11)
        assert(data == 42);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
