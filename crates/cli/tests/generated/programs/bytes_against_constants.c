// Seven bytes, each compared once: all 2^7 combinations.
// cases: 128
#include <stdio.h>
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    const unsigned char wanted[7] = {0, 255, 'a', 128, 127, 10, 1};
    for (int i = 0; i < 7; i++) {
        if (__VERIFIER_nondet_uchar() == wanted[i])
            putchar('1');
        else
            putchar('0');
    }
    return 0;
}
