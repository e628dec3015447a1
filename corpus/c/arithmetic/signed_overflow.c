// The sum of two ints does not fit. (Overflow is checked on request.)
// options: --property overflow
#include <limits.h>

int main(void)
{
    volatile int big = INT_MAX;
    return (big + 1) & 0; // expect: arithmetic.signed-overflow
}
