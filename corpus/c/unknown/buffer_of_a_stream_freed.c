// A stream is given a buffer that may end before it: whether the stream still uses it is not followed.
// unknown: a stream's buffer that is no global variable
//
// variant: -DHEAP=0
// variant: -DHEAP=1
#include <stdio.h>
#include <stdlib.h>

static FILE *file;

static void give(void)
{
    char local[512];
    char *buffer = HEAP ? malloc(512) : local;
    setvbuf(HEAP ? file : stdout, buffer, _IOFBF, 512);
    fputs("abc", HEAP ? file : stdout);
    if (HEAP)
        free(buffer);
}

int main(void)
{
    file = fopen("x", "w");
    give();
    fclose(file);
    return 0;
}
