// Which of two blocks a global points to depends on the input; the other one is lost.
// options: --property memory,leak
#include <stdlib.h>

unsigned __VERIFIER_nondet_uint(void);

static char *place;

int main(void)
{
    unsigned which = __VERIFIER_nondet_uint();
    if (which > 1)
        return 0;
    char *texts[2] = {malloc(1), malloc(2)}; // expect: memory.leak
    place = texts[which];
    return 0;
}
