// Which of two blocks a global points to depends on the input, and the table that says it is gone.
// options: --property memory,leak
// unknown: whether memory is lost
#include <stdlib.h>

unsigned __VERIFIER_nondet_uint(void);

static char *place;

int main(void)
{
    unsigned which = __VERIFIER_nondet_uint();
    if (which > 1)
        return 0;
    char *texts[2] = {malloc(1), malloc(2)};
    place = texts[which];
    return 0;
}
