// Main does not wait for a thread that keeps its buffer for ever.
// options: --property cleanup
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t never;

static void *serve(void *unused)
{
    char *buffer = malloc(10); // expect: memory.not-freed
    buffer[0] = 0;
    sem_wait(&never);
    free(buffer);
    return unused;
}

int main(void)
{
    pthread_t server;
    sem_init(&never, 0, 0);
    pthread_create(&server, 0, serve, 0);
    return 0;
}
