// What was never written has one value until it is written: in a variable, in memory that others
// may reach, in a part of it, and in a copy.
// options: --property assertion
#include <assert.h>
#include <stdlib.h>
#include <string.h>
struct pair {
    int a;
    int b;
};
static int is(const int *p) { return *p; }
int main(void) {
    int x;
    int taken = 0;
    if (x > 5)
        taken = 1;
    assert(taken == (x > 5));
    int y;
    int first = is(&y), second = is(&y);
    assert(first == second);
    unsigned *p = malloc(8);
    unsigned char low = *(unsigned char *)p;
    assert((*p & 0xff) == low);
    ((unsigned char *)p)[1] = 7;
    assert((*p >> 8 & 0xff) == 7);
    unsigned q;
    memcpy(&q, p, 4);
    assert(q == *p);
    struct pair one, two;
    one.a = 1;
    two = one;
    assert(two.b == one.b);
    free(p);
    return 0;
}
