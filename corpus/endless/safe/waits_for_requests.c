// Main waits for a request, which comes in every third round of the server, if the last one was answered.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t requests;
static atomic_int round, asked;

static void *serve(void *unused)
{
    for (;;) {
        round = (round + 1) % 3;
        if (round == 2 && !asked) {
            asked = 1;
            sem_post(&requests);
        }
    }
    return unused;
}

int main(void)
{
    pthread_t server;
    sem_init(&requests, 0, 0);
    pthread_create(&server, 0, serve, 0);
    for (;;) {
        sem_wait(&requests);
        asked = 0;
    }
}
