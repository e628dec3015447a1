// Two semaphores let two threads have a turn each, for ever.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t ping, pong;
static int ball;

static void *other(void *unused)
{
    for (;;) {
        sem_wait(&ping);
        assert(ball == 1);
        ball = 0;
        sem_post(&pong);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&ping, 0, 0);
    sem_init(&pong, 0, 1);
    pthread_create(&thread, 0, other, 0);
    for (;;) {
        sem_wait(&pong);
        assert(ball == 0);
        ball = 1;
        sem_post(&ping);
    }
}
