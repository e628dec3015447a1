// The absolute value of the least number does not fit. (Overflow is checked on request.)
//
// variant: -DTYPE=int -DABS=abs -DLEAST=INT_MIN --property overflow
// variant: -DTYPE=long -DABS=labs -DLEAST=LONG_MIN --property overflow
// variant: -DTYPE=int -DABS=abs -DLEAST=INT_MIN --cflags -fno-builtin --property overflow
// variant: -DTYPE=int -DABS=abs -DLEAST=INT_MIN+1 --property overflow verdict(verified)
#include <limits.h>
#include <stdlib.h>

int main(void)
{
    volatile TYPE least = LEAST;
    return ABS(least) == 7; // expect: arithmetic.signed-overflow
}
