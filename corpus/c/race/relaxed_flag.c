// Data behind a relaxed flag: the flag was seen, the data is not ordered.
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int flag;

static void *producer(void *unused)
{
    data = 42; // expect: data-race
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return unused;
}

int main(void)
{
    int seen = 0;
    pthread_t thread;
    pthread_create(&thread, 0, producer, 0);
    if (atomic_load_explicit(&flag, memory_order_acquire))
        seen = data;
    pthread_join(thread, 0);
    return seen & 0;
}
