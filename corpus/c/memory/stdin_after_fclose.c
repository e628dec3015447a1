// The stream must not be used after fclose.
#include <stdio.h>

int main(void)
{
    fclose(stdin);
    return getchar() == EOF; // expect: memory.use-after-free
}
