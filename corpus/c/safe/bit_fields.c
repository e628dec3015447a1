// The first store to a bit field reads undefined neighbours and keeps them undefined: no error.
#include <assert.h>
#include <stdlib.h>

struct bits {
    unsigned a : 3;
    int b : 5;
    unsigned long c : 33;
};

int main(void)
{
    struct bits *bits = malloc(sizeof *bits);
    bits->b = -7;
    bits->a = 6;
    bits->a += 3;
    bits->c = 1ul << 32;
    assert(bits->a == 1 && bits->b == -7 && bits->c == 1ul << 32);
    bits->b = 15;
    bits->b++;
    assert(bits->b == -16);
    free(bits);
    return 0;
}
