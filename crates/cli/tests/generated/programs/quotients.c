// Division, remainder and signs of an int: every way a remainder can be, both signs.
// cases: 9
#include <stdio.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int q = x / 5, r = x % 5;
    if (q * 5 + r != x)
        abort();
    switch (r) {
    case 0: return 10;
    case 1: return 11;
    case 2: return 12;
    case 3: return 13;
    case 4: return 14;
    case -1: return 21;
    case -2: return 22;
    case -3: return 23;
    case -4: return 24;
    }
    return 0;
}
