// An addition of an input, which only computes, beside a compare-exchange that decides on the sum.
// variant: -DWRONG=7
// variant: -DWRONG=0
// variant: -DWRONG=6 verdict(verified)
#include <assert.h>
#include <pthread.h>

unsigned __VERIFIER_nondet_uint(void);

static int value;

static void *adds(void *unused)
{
    __atomic_fetch_add(&value, (int)(__VERIFIER_nondet_uint() & 1), __ATOMIC_SEQ_CST);
    return unused;
}

static void *exchanges(void *unused)
{
    int expected = 1;
    __atomic_compare_exchange_n(&value, &expected, 7, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, adds, 0);
    pthread_create(&b, 0, exchanges, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(__atomic_load_n(&value, __ATOMIC_ACQUIRE) != WRONG); // expect: assertion
    return 0;
}
