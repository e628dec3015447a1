// Whether the second fence is a step of its own depends on whether the read before it is one.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_long never_written;

static void *reads(void *arg)
{
    atomic_thread_fence(memory_order_acquire);
    atomic_load(&never_written);
    atomic_thread_fence(memory_order_seq_cst);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, reads, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    assert(never_written != 0); // expect: assertion
    return 0;
}
