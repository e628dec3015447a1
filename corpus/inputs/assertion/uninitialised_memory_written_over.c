// What is written is no longer what it was, also if that has no value itself.
// options: --property assertion
#include <assert.h>
#include <stdlib.h>
int main(void) {
    int *p = malloc(4);
    int *q = malloc(4);
    int before = *p;
    *p = *q;
    assert(*p == before); // expect: assertion
    return 0;
}
