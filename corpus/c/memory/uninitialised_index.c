// An undefined value becomes part of an address.
#include <stdlib.h>

static int table[4];

int main(void)
{
    unsigned *index = malloc(sizeof *index);
    int seen = table[*index & 3]; // expect: memory.uninitialized
    free(index);
    return seen;
}
