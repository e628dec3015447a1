// A pointer to one of two objects or to none.
#include <stddef.h>

unsigned __VERIFIER_nondet_uint(void);

static int x, y;

int main(void)
{
    int *const targets[3] = {&x, &y, NULL};
    unsigned which = __VERIFIER_nondet_uint();
    if (which >= 3)
        return 0;
    int *target = targets[which];
    *target = 1; // expect: memory.null-dereference
    return x + y != 1;
}
