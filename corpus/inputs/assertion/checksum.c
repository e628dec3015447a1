// Four bytes whose weighted sum is a given number, and which are in order: nothing to be found by guessing.
#include <assert.h>

void klee_make_symbolic(void *object, unsigned long size, const char *name);

int main(void)
{
    unsigned char b[4];
    klee_make_symbolic(b, sizeof b, "b");
    unsigned sum = 0;
    for (unsigned i = 0; i < 4; i++)
        sum = sum * 31 + b[i];
    if (b[0] < b[1] && b[1] < b[2] && b[2] < b[3])
        assert(sum != 1234567); // expect: assertion
    return 0;
}
