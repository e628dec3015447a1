// The last thing that a thread does is a compare-exchange on an input. With 3 it fails, and the
// variable stays as it is.
#include <assert.h>
#include <pthread.h>

unsigned __VERIFIER_nondet_uint(void);

static int value;

static void *work(void *unused)
{
    value = __VERIFIER_nondet_uint() & 3;
    int expected = 0;
    __atomic_compare_exchange_n(&value, &expected, 0, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    assert(__atomic_load_n(&value, __ATOMIC_ACQUIRE) <= 2); // expect: assertion
    return 0;
}
