// A function out of a table, by an index of any value.
#include <assert.h>

unsigned __VERIFIER_nondet_uint(void);

static int add(int x) { return x + 10; }
static int subtract(int x) { return x - 10; }
static int twice(int x) { return x * 2; }

int main(void)
{
    static int (*const functions[])(int) = {add, subtract, twice};
    unsigned which = __VERIFIER_nondet_uint();
    if (which >= 3)
        return 0;
    int result = functions[which](7);
    assert(which == 0 ? result == 17 : which == 1 ? result == -3 : result == 14);
    return 0;
}
