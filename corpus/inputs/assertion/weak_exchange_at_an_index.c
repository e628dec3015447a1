// A weak exchange may fail without a cause, also where the input says which variable it is.
#include <assert.h>
#include <stdatomic.h>

unsigned char __VERIFIER_nondet_uchar(void);

static atomic_int x[4];

int main(void)
{
    unsigned char i = __VERIFIER_nondet_uchar() & 1;
    int expected = 0;
    _Bool done = atomic_compare_exchange_weak(&x[i], &expected, 1);
    assert(done); // expect: assertion
    return 0;
}
