// The process ends while a thread waits, in a function whose variable points to a block; another one has just been handed on.
// options: --property memory,leak
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t never, ready;

static void wait_for(sem_t *semaphore, char *text)
{
    text[0] = 0;
    sem_post(&ready);
    sem_wait(semaphore);
}

static void *serve(void *text)
{
    char *own = malloc(10);
    own[0] = 0;
    wait_for(&never, text);
    return own;
}

int main(void)
{
    pthread_t server;
    sem_init(&never, 0, 0);
    sem_init(&ready, 0, 0);
    pthread_create(&server, 0, serve, malloc(5));
    sem_wait(&ready);
    return 0;
}
