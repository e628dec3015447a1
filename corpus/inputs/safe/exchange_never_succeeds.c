// A compare-exchange that fails for every input only reads: no race with the read beside it.
#include <pthread.h>

unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int);

static int values[3];

static void *reads(void *unused)
{
    int seen = values[0];
    (void)seen;
    return unused;
}

int main(void)
{
    pthread_t thread;
    unsigned input = __VERIFIER_nondet_uint();
    __VERIFIER_assume(input <= 2);
    values[0] = (int)input;
    pthread_create(&thread, 0, reads, 0);
    int expected = 3;
    __atomic_compare_exchange_n(&values[0], &expected, 0, 1, __ATOMIC_ACQUIRE, __ATOMIC_SEQ_CST);
    return 0;
}
