// An early return for one value of the input forgets the buffer.
// options: --property memory,leak
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

static int work(int input)
{
    char *buffer = malloc(10); // expect: memory.leak
    buffer[0] = 1;
    if (input == 12345)
        return -1;
    free(buffer);
    return 0;
}

int main(void)
{
    return work(__VERIFIER_nondet_int());
}
