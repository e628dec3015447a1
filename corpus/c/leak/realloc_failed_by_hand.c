// A buffer that must grow is copied into a new one, and the old one is forgotten; realloc would have freed it.
// options: --property memory,leak
#include <stdlib.h>
#include <string.h>

static char *grow(char *buffer, size_t size)
{
    char *larger = malloc(2 * size);
    memcpy(larger, buffer, size);
    return larger;
}

int main(void)
{
    char *buffer = malloc(4); // expect: memory.leak
    memset(buffer, 0, 4);
    buffer = grow(buffer, 4);
    buffer = realloc(buffer, 16);
    free(buffer);
    return 0;
}
