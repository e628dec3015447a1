// strlen runs over the end of an array without a 0.
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *text = malloc(3);
    memcpy(text, "abc", 3);
    size_t length = strlen(text); // expect: memory.out-of-bounds
    free(text);
    return length & 0;
}
