// Bubble sort of four ints: one path an order.
// cases: 24
#include <assert.h>
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a[4];
    for (int i = 0; i < 4; i++)
        a[i] = __VERIFIER_nondet_int();
    for (int round = 0; round < 3; round++)
        for (int i = 0; i + 1 < 4 - round; i++) {
            if (a[i] > a[i + 1]) {
                int swap = a[i];
                a[i] = a[i + 1];
                a[i + 1] = swap;
                putchar('s');
            } else {
                putchar('.');
            }
        }
    for (int i = 0; i < 3; i++)
        assert(a[i] <= a[i + 1]);
    return 0;
}
