// What the allocation functions promise.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    int *zeros = calloc(4, sizeof *zeros);
    assert(zeros[0] == 0 && zeros[3] == 0);
    zeros[3] = 8;
    zeros = realloc(zeros, 8 * sizeof *zeros);
    assert(zeros[3] == 8);
    zeros[7] = 1;
    void *aligned = aligned_alloc(64, 128), *other;
    assert((uintptr_t)aligned % 64 == 0);
    assert(posix_memalign(&other, 32, 10) == 0 && (uintptr_t)other % 32 == 0);
    char *copy = strdup("copy"), *part = strndup("copy", 2);
    assert(strcmp(copy, "copy") == 0 && strcmp(part, "co") == 0 && copy != part);
    void *nothing = malloc(0);
    char *fresh = realloc(NULL, 3);
    fresh[2] = 'x';
    free(NULL);
    free(zeros), free(aligned), free(other), free(copy), free(part), free(nothing), free(fresh);
    return 0;
}
