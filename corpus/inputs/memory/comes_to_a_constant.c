// The input leaves the address again, and the address is outside of its block for each value.
#include <stdlib.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    char *a = malloc(16), *b = malloc(16);
    unsigned char i = __VERIFIER_nondet_uchar();
    if (i > 3)
        return 0;
    char *p = a + i;
    p += 32;
    p -= i;
    *p = 1; // expect: memory.out-of-bounds
    free(a);
    free(b);
    return 0;
}
