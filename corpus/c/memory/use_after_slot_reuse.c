// A new object of the same size lies where the old one was: the old pointer is dangling all the same.
#include <stdlib.h>

int main(void)
{
    int *old = malloc(sizeof *old);
    *old = 1;
    free(old);
    int *fresh = malloc(sizeof *fresh);
    *fresh = 2;
    int seen = *old; // expect: memory.use-after-free
    free(fresh);
    return seen & 0;
}
