// Reading in front of a heap object.
#include <stdlib.h>

int main(void)
{
    char *text = calloc(4, 1);
    int before = text[-1]; // expect: memory.out-of-bounds
    free(text);
    return before & 0;
}
