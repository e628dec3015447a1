// 64 and 128 bits: carries, high words, shifts by an input.
// cases: 8
#include <stdio.h>
extern unsigned long __VERIFIER_nondet_ulong(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned long a = __VERIFIER_nondet_ulong(), b = __VERIFIER_nondet_ulong();
    unsigned __int128 sum = (unsigned __int128)a + b;
    putchar(sum >> 64 ? 'C' : '.');
    if (a + b < a)
        putchar('w');
    unsigned char by = __VERIFIER_nondet_uchar();
    if (by < 64 && (a << by) == 0x8000000000000000)
        putchar('t');
    else if (by >= 200)
        putchar('l');
    return 0;
}
