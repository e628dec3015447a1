// A size with a thousand possible values: not all are explored, but the least and the greatest are.
// variant: -DLEAST
// variant: -DGREATEST
#include <stdlib.h>

unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int);

int main(void)
{
    unsigned size = __VERIFIER_nondet_uint();
    __VERIFIER_assume(size >= 17 && size <= 1016);
    char *block = malloc(size);
    if (!block)
        return 0;
#ifdef LEAST
    if (size == 17)
#else
    if (size == 1016)
#endif
        block[size] = 1; // expect: memory.out-of-bounds
    free(block);
    return 0;
}
