// The size of an allocation is any number, also one that no machine has room for: then malloc fails, which is looked at.
#include <assert.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

int main(void)
{
    int size = __VERIFIER_nondet_int();
    if (size > 4 || (size < 0 && size != -1))
        return 0;
    char *memory = malloc((size_t)size);
    if (!memory)
        return 0;
    assert(size != -1);
    if (size > 0)
        memory[size - 1] = 1;
    free(memory);
    return 0;
}
