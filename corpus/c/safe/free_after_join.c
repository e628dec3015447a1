// Memory that is freed by its creator after the users were joined.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *fill(void *buffer)
{
    strcpy(buffer, "filled");
    return 0;
}

int main(void)
{
    pthread_t thread;
    char *buffer = malloc(16);
    pthread_create(&thread, 0, fill, buffer);
    pthread_join(thread, 0);
    assert(strcmp(buffer, "filled") == 0);
    free(buffer);
    return 0;
}
