// The padding of a structure is undefined, and copying it is no error.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct padded {
    char c;
    int i;
};

static int sum(struct padded p)
{
    return p.c + p.i;
}

int main(void)
{
    struct padded *p = malloc(sizeof *p), copy;
    p->c = 1;
    p->i = 2;
    copy = *p;
    struct padded again;
    memcpy(&again, &copy, sizeof again);
    assert(sum(*p) == 3 && sum(again) == 3);
    free(p);
    return 0;
}
