// An input that is needed as a number and may be any of four thousand million.
// unknown: a symbolic value of 32 bits that is needed as a number
#include <stdlib.h>

unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    free(malloc(__VERIFIER_nondet_uint()));
    return 0;
}
