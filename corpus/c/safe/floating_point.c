// float and double: rounding, conversions, comparisons with NaN, functions.
#include <assert.h>
#include <math.h>

int main(void)
{
    volatile double tenth = 0.1, huge = 1e300, zero = 0;
    volatile float third = 1.0f / 3;
    double nan = zero / zero;
    assert(tenth + tenth + tenth != 0.3 && (float)tenth != tenth);
    assert((int)3.99 == 3 && (int)-3.99 == -3 && (unsigned char)200.7 == 200);
    assert(!(nan == nan) && nan != nan && !(nan < 1) && isnan(nan) && isinf(huge * huge));
    assert(third * 3 == 1.0f && (double)third != 1.0 / 3);
    assert(fabs(-2.5) == 2.5 && floor(-0.5) == -1 && sqrt(16.0) == 4 && signbit(-zero));
    return 0;
}
