// The same 16 bits as signed and as unsigned: which comparisons agree.
// cases: 6
#include <stdio.h>
extern short __VERIFIER_nondet_short(void);

int main(void) {
    short s = __VERIFIER_nondet_short();
    unsigned short u = (unsigned short)s;
    if (s < 0) {
        if (u > 0x8000)
            putchar('n');
        else
            putchar('m');
    } else {
        if (u > 100)
            putchar('p');
        else
            putchar('q');
    }
    if ((int)s == (int)u)
        putchar('=');
    else
        putchar('#');
    if (s > -5 && u > 50)
        putchar('!');
    putchar('\n');
    return 0;
}
