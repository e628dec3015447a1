// Different variables that were never written have different values, and each byte may be any.
// options: --property assertion
#include <assert.h>
#include <stdlib.h>
int main(void) {
    int *p = malloc(8);
    if (p[0] != p[1])
        assert(p[1] != 77); // expect: assertion
    return 0;
}
