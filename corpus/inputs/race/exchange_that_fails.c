// A compare-and-exchange whose outcome depends on an input. Where it fails, it publishes nothing, whatever its order on success.
#include <pthread.h>
#include <stdatomic.h>

unsigned __VERIFIER_nondet_uint(void);

static atomic_int flag;
static int data;

static void *work(void *unused)
{
    data = 1; // expect: data-race
    int expected = (int)(__VERIFIER_nondet_uint() % 2) * 7;
    atomic_compare_exchange_strong_explicit(&flag, &expected, 2, memory_order_acq_rel, memory_order_relaxed);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    int seen = 0;
    if (atomic_compare_exchange_strong_explicit(&flag, &seen, 5, memory_order_acq_rel, memory_order_acquire))
        data = 2; // expect: data-race
    return 0;
}
