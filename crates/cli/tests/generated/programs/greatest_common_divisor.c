// Euclid's algorithm on two numbers from 1 to 15: one path for each reduced fraction of them.
// cases: 143
#include <assert.h>
#include <stdio.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

int main(void) {
    unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
    __VERIFIER_assume(a > 0 && a < 16 && b > 0 && b < 16);
    while (a != b) {
        if (a > b) {
            a -= b;
            putchar('a');
        } else {
            b -= a;
            putchar('b');
        }
    }
    assert(a > 0);
    return 0;
}
