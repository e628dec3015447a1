// The first block is forgotten when the variable gets the second; that one a variable points to when the process exits.
// options: --property memory,leak
#include <stdlib.h>

int main(void)
{
    char *text = malloc(10); // expect: memory.leak
    text[0] = 0;
    text = malloc(20);
    if (text)
        exit(0);
    return 1;
}
