// Loops of compare-exchange on a counter that begins anywhere, and with any expectation: the
// counter is incremented twice.
#include <assert.h>
#include <pthread.h>

unsigned __VERIFIER_nondet_uint(void);

static unsigned counter;

static void *work(void *unused)
{
    unsigned expected = 3;
    while (!__atomic_compare_exchange_n(&counter, &expected, expected + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        ;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    unsigned first = __VERIFIER_nondet_uint();
    counter = first;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == first + 2);
    return 0;
}
