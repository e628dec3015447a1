// A release fence before a relaxed store and an acquire fence after a relaxed load order what comes before and after them. Both threads
// come to their fences within the step of another action.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int ready;

static void *write(void *arg)
{
    data = 1;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t writer;
    pthread_create(&writer, 0, write, 0);
    while (!atomic_load_explicit(&ready, memory_order_relaxed))
        atomic_thread_fence(memory_order_acquire);
    atomic_thread_fence(memory_order_acquire);
    assert(data == 1);
    data = 2;
    pthread_join(writer, 0);
    return 0;
}
