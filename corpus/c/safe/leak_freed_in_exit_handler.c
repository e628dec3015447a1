// An exit handler frees what main has left.
// options: --property memory,leak,cleanup
#include <stdlib.h>

static char *buffer;

static void clean_up(void)
{
    free(buffer);
}

int main(void)
{
    atexit(clean_up);
    buffer = malloc(10);
    return 0;
}
