// memcmp of structures looks at their padding, which is undefined.
#include <stdlib.h>
#include <string.h>

struct padded {
    char c;
    int i;
};

int main(void)
{
    struct padded *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    a->c = b->c = 1;
    a->i = b->i = 2;
    int same = memcmp(a, b, sizeof *a) == 0; // expect: memory.uninitialized
    if (same)
        a->i = 3;
    free(a), free(b);
    return 0;
}
