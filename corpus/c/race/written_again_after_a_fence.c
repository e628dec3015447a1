// A release fence publishes what comes before it. What the thread writes again behind it is not published.
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int ready;

static void *write_twice(void *arg)
{
    data = 1;
    atomic_thread_fence(memory_order_release);
    data = 2; // expect: data-race
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t writer;
    int seen = 0;
    pthread_create(&writer, 0, write_twice, 0);
    if (atomic_load_explicit(&ready, memory_order_relaxed)) {
        atomic_thread_fence(memory_order_acquire);
        seen = data; // expect: data-race
    }
    pthread_join(writer, 0);
    return seen & 0;
}
