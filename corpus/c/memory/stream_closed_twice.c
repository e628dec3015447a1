// fclose ends the stream; a second one uses what is gone.
#include <stdio.h>

int main(void)
{
    FILE *f = fopen("file", "w");
    fclose(f);
    return fclose(f); // expect: memory.use-after-free
}
