// The only pointer is in a block of statements that has ended when the process exits.
// options: --property memory,leak
#include <stdlib.h>

int main(void)
{
    {
        char *text = malloc(10); // expect: memory.leak
        text[0] = 0;
    }
    exit(0);
}
