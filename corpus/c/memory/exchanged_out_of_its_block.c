// An exchange stores an address outside of its block as it is.
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(char *) shared;

int main(void)
{
    char *a = malloc(16), *b = malloc(16);
    atomic_exchange(&shared, a + 32);
    char *p = shared;
    *p = 1; // expect: memory.out-of-bounds
    free(a);
    free(b);
    return 0;
}
