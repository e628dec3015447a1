// A global points to the block, so it is not lost; but nobody has freed it when the process ends.
// options: --property cleanup
#include <stdlib.h>

static char *buffer;

int main(void)
{
    buffer = malloc(10); // expect: memory.not-freed
    return buffer == 0;
}
