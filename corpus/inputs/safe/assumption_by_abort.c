// The usual way of an assumption: abort where it is false.
// options: --property unreach-call
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

void reach_error(void) {}

static void assume_or_end(int holds)
{
    if (!holds)
        abort();
}

int main(void)
{
    int number = __VERIFIER_nondet_int();
    assume_or_end(number > 10);
    if (number < 5)
        reach_error();
    return 0;
}
