// realloc moves; the pointer from before is dead.
#include <stdlib.h>

int main(void)
{
    char *buffer = malloc(4), *cursor = buffer;
    buffer = realloc(buffer, 400);
    *cursor = 'x'; // expect: memory.use-after-free
    free(buffer);
    return 0;
}
