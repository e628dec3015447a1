// A stream is given a buffer of more bytes than the array has.
//
// variant: -DGIVE=setvbuf(file,buffer,_IOFBF,64)
// variant: -DGIVE=setbuf(file,buffer)
#include <stdio.h>

static char buffer[4];

int main(void)
{
    FILE *file = fopen("x", "w");
    GIVE; // expect: memory.out-of-bounds
    fputs("abcdefgh", file);
    fclose(file);
    return 0;
}
