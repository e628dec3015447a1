// An IEEE number: ranges, a product, and what is no number.
// cases: 4
#include <stdio.h>
extern double __VERIFIER_nondet_double(void);

int main(void) {
    double d = __VERIFIER_nondet_double();
    if (d > 1.5) {
        putchar('a');
        if (d * 2 < 4)
            putchar('b');
    } else if (d != d) {
        putchar('n');
    } else {
        putchar('c');
    }
    return 0;
}
