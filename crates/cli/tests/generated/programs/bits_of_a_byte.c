// The bits of a byte, one by one: every value that starts with two zeros.
// cases: 64
#include <stdio.h>
extern unsigned char nondet_uchar(void);
extern void __VERIFIER_assume(int);

int main(void) {
    unsigned char byte = nondet_uchar();
    __VERIFIER_assume(byte < 64);
    int ones = 0;
    for (int i = 5; i >= 0; i--) {
        if (byte >> i & 1) {
            ones++;
            putchar('1');
        } else {
            putchar('0');
        }
    }
    return ones;
}
