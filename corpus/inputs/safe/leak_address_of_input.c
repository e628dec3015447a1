// Pointers that were computed from inputs, in a global; and inputs that only look like numbers.
// options: --property memory,leak
#include <stdlib.h>

unsigned __VERIFIER_nondet_uint(void);
unsigned long __VERIFIER_nondet_ulong(void);

static char *place;
static unsigned long number;

int main(void)
{
    unsigned offset = __VERIFIER_nondet_uint();
    number = __VERIFIER_nondet_ulong();
    if (offset >= 10)
        return 0;
    place = (char *)malloc(10) + offset;
    return 0;
}
