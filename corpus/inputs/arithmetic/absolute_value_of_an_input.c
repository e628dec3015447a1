// The absolute value of one number does not fit. (Overflow is checked on request.)
// options: --property overflow
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

int main(void)
{
    return abs(__VERIFIER_nondet_int()) == 7; // expect: arithmetic.signed-overflow
}
