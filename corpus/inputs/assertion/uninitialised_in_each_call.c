// The same variable in the next call has another value, also where others know its address.
// options: --property assertion
#include <assert.h>
static int *known;
static int f(void) {
    int x;
    known = &x;
    return *known;
}
static int first(void) {
    int last = 0, differ = 0;
    for (int i = 0; i < 2; i++) {
        int x;
        known = &x;
        if (i == 1)
            differ = *known != last;
        last = *known;
    }
    return differ;
}
int main(void) {
    int a = f(), b = f();
    assert(a == b || !first()); // expect: assertion
    return 0;
}
