// Memory that nobody can free any more when the process ends. (Leaks are checked on request.)
// options: --property leak
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *first = malloc(8); // expect: memory.leak
    strcpy(first, "lost");
    first = malloc(8);
    free(first);
    return 0;
}
