// The element that the input names is freed; the other one is not.
// options: --property memory,leak
#include <stdlib.h>

unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned which = __VERIFIER_nondet_uint();
    if (which > 1)
        return 0;
    char *texts[2] = {malloc(1), malloc(2)}; // expect: memory.leak
    free(texts[which]);
    return 0;
}
