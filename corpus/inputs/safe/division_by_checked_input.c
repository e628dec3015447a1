// Neither zero nor the one quotient that overflows is left.
#include <assert.h>
#include <limits.h>

int __VERIFIER_nondet_int(void);

int main(void)
{
    int dividend = __VERIFIER_nondet_int(), divisor = __VERIFIER_nondet_int();
    if (divisor == 0 || (dividend == INT_MIN && divisor == -1))
        return 0;
    int quotient = dividend / divisor;
    // Few bits: the solver need not prove it for all 2^64 pairs.
    if (dividend >= 0 && dividend < 64 && divisor > 0 && divisor < 64)
        assert(quotient * divisor <= dividend && (quotient + 1) * divisor > dividend);
    return 0;
}
