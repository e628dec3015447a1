// A weak compare-exchange on an input ends its thread: it may fail because of the value, and
// without cause.
// variant: -DWRONG=0
// variant: -DWRONG=1
// variant: -DWRONG=4
// variant: -DWRONG=5 verdict(verified)
#include <assert.h>
#include <pthread.h>

unsigned __VERIFIER_nondet_uint(void);

static int value;

static void *work(void *unused)
{
    int expected = 0;
    __atomic_compare_exchange_n(&value, &expected, 4, 1, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    return unused;
}

int main(void)
{
    pthread_t thread;
    value = __VERIFIER_nondet_uint() & 1;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    assert(__atomic_load_n(&value, __ATOMIC_ACQUIRE) != WRONG); // expect: assertion
    return 0;
}
