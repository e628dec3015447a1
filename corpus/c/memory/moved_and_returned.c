// What the addition returns is an address outside of the block, too.
#include <stdlib.h>

int main(void)
{
    char *a = malloc(16), *b = malloc(16);
    char *p = a;
    char *moved = __atomic_add_fetch(&p, 32, __ATOMIC_RELAXED);
    *moved = 1; // expect: memory.out-of-bounds
    free(a);
    free(b);
    return 0;
}
