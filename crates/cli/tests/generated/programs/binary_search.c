// A key in a table of 15: found at one of 15 places, or missing in one of 16 gaps.
// cases: 31
#include <stdio.h>
extern long __VERIFIER_nondet_long(void);

int main(void) {
    long table[15];
    for (int i = 0; i < 15; i++)
        table[i] = (i - 7) * 1000000000000L;
    long key = __VERIFIER_nondet_long();
    int low = 0, high = 15;
    while (low < high) {
        int middle = (low + high) / 2;
        if (key == table[middle]) {
            printf("found %d\n", middle);
            return 1;
        }
        if (key < table[middle])
            high = middle;
        else
            low = middle + 1;
    }
    printf("gap %d\n", low);
    return 0;
}
