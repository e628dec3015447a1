// A pointer to one of three objects: what is written there is in that one, and in no other.
#include <assert.h>

unsigned __VERIFIER_nondet_uint(void);

static int x, z;

int main(void)
{
    int y = 0;
    int *targets[3] = {&x, &y, &z};
    unsigned which = __VERIFIER_nondet_uint();
    if (which >= 3)
        return 0;
    int *target = targets[which];
    *target = 5;
    assert(x + y + z == 5);
    assert((x == 5) == (which == 0));
    assert((z == 5) == (which == 2));
    return 0;
}
