// Data behind a flag that is released and acquired.
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

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, producer, 0);
    if (atomic_load_explicit(&flag, memory_order_acquire))
        assert(data == 42);
    pthread_join(thread, 0);
    return 0;
}
