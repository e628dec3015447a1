// The addition moves a pointer to freed memory out of its block, into the one beside it.
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(char *) next;

int main(void)
{
    char *a = malloc(16), *b = malloc(16);
    next = a;
    free(a);
    char *old = atomic_fetch_add(&next, 65536);
    *next = 1; // expect: memory.out-of-bounds
    free(b);
    return old == 0;
}
