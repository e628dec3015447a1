// A weak compare-exchange may fail though the values are equal, also while there is one thread only.
// variant: --weak-cas-failures on
// variant: --weak-cas-failures off verdict(verified)
#include <assert.h>
#include <stdatomic.h>

int main(void)
{
    atomic_int value = 3;
    int expected = 3;
    int done = atomic_compare_exchange_weak(&value, &expected, 4);
    assert(expected == 3);
    assert(done); // expect: assertion
    return 0;
}
