// One value of 2^32 fails the assertion; natively, that is an abort.
// cases: 3
#include <assert.h>
#include <stdio.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    puts("start");
    if (x * 2654435761u > 0x10) {
        puts("large");
        return 0;
    }
    puts("small");
    assert(x * 2654435761u != 7);
    return 1;
}
