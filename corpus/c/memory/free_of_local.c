// free of something that never came from malloc.
#include <stdlib.h>

static void drop(void *object)
{
    free(object); // expect: memory.invalid-free
}

int main(void)
{
    int local = 0;
    drop(&local);
    return local;
}
