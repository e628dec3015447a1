// Functions that run before main and after it, in the order of their priorities.
#include <assert.h>

static int steps;

__attribute__((constructor(102))) static void second(void) { steps = steps * 10 + 2; }
__attribute__((constructor(101))) static void first(void) { steps = steps * 10 + 1; }
__attribute__((destructor)) static void last(void) { assert(steps == 123); }

int main(void)
{
    assert(steps == 12);
    steps = 123;
    return 0;
}
