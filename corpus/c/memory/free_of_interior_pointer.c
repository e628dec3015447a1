// free of a pointer that was moved along.
#include <stdlib.h>

int main(void)
{
    char *text = malloc(8);
    *text++ = 'a';
    free(text); // expect: memory.invalid-free
    return 0;
}
