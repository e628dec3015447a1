// Symbolic indexes: the branch depends on what lies there.
// cases: 25
#include <stdio.h>
extern unsigned __VERIFIER_nondet_uint(void);

static const unsigned char kind[16] = {0, 1, 2, 0, 3, 1, 0, 2, 0, 0, 1, 3, 2, 0, 4, 0};

int main(void) {
    for (int i = 0; i < 2; i++) {
        unsigned index = __VERIFIER_nondet_uint() & 15;
        if (kind[index] == 0)
            putchar('0');
        else if (kind[index] == 1)
            putchar('1');
        else if (kind[index] == 2)
            putchar('2');
        else if (index == 14)
            putchar('e');
        else
            putchar('3');
    }
    return 0;
}
