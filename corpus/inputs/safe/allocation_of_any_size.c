// malloc of a size of a few values, filled to its end.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned size = __VERIFIER_nondet_uint();
    if (size < 1 || size > 6)
        return 0;
    char *text = malloc(size);
    if (!text)
        return 0;
    memset(text, 'x', size);
    text[size - 1] = 0;
    assert(strlen(text) == size - 1);
    free(text);
    return 0;
}
