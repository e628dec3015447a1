// A thread that is cancelled where it waits frees nothing: its stack goes, and with it the pointer.
// options: --property memory,leak
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t work;

static void *serve(void *unused)
{
    char *buffer = malloc(10); // expect: memory.leak
    buffer[0] = 0;
    sem_wait(&work);
    free(buffer);
    return unused;
}

int main(void)
{
    pthread_t server;
    sem_init(&work, 0, 0);
    pthread_create(&server, 0, serve, 0);
    pthread_cancel(server);
    pthread_join(server, 0);
    return 0;
}
