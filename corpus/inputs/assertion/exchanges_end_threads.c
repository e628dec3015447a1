// Two threads end with a compare-exchange each, the second one with what the first stores: one
// order and one input lead there.
// variant: -DWRONG=6
// variant: -DWRONG=5
// variant: -DWRONG=4 verdict(verified)
#include <assert.h>
#include <pthread.h>

unsigned __VERIFIER_nondet_uint(void);

static int value;

static void *first(void *unused)
{
    int expected = 1;
    __atomic_compare_exchange_n(&value, &expected, 5, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    return unused;
}

static void *second(void *unused)
{
    int expected = 5;
    __atomic_compare_exchange_n(&value, &expected, 6, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    value = __VERIFIER_nondet_uint() & 3;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(__atomic_load_n(&value, __ATOMIC_ACQUIRE) != WRONG); // expect: assertion
    return 0;
}
