// A switch with ten labels, of which two share code, then a sparse one: 11 * 4.
// cases: 44
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned long __VERIFIER_nondet_ulong(void);

int main(void) {
    switch (__VERIFIER_nondet_int()) {
    case -3: putchar('a'); break;
    case -2: putchar('b'); break;
    case 0: putchar('c'); break;
    case 1: putchar('d'); break;
    case 2:
    case 3: putchar('e'); break;
    case 4: putchar('f'); break;
    case 5: putchar('g'); break;
    case 6: putchar('h'); break;
    case 2147483647: putchar('i'); break;
    default: putchar('j');
    }
    switch (__VERIFIER_nondet_ulong()) {
    case 0: return 1;
    case 0x8000000000000000: return 2;
    case 0xffffffffffffffff: return 3;
    }
    return 4;
}
