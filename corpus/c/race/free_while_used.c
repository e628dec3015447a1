// free is a write of all bytes of the object: it races with a use that is not ordered before it.
#include <pthread.h>
#include <stdlib.h>

static void *use(void *memory)
{
    ((char *)memory)[3] = 1; // expect: data-race, memory.use-after-free
    return 0;
}

int main(void)
{
    pthread_t thread;
    char *memory = malloc(8);
    pthread_create(&thread, 0, use, memory);
    free(memory);
    pthread_join(thread, 0);
    return 0;
}
