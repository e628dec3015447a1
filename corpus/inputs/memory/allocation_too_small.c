// The room for the terminator is forgotten when the text has four characters.
#include <stdlib.h>

unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned size = __VERIFIER_nondet_uint();
    if (size < 1 || size > 5)
        return 0;
    char *text = malloc(size);
    if (!text)
        return 0;
    for (int i = 0; i < 4; i++)
        text[i] = 'x'; // expect: memory.out-of-bounds
    free(text);
    return 0;
}
