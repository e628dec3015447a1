// Every third time nobody posts.
// expect-anywhere: deadlock
#include <pthread.h>
#include <semaphore.h>

static sem_t ping, pong;

static void *other(void *unused)
{
    for (int round = 0;; round = (round + 1) % 3) {
        sem_wait(&ping);
        if (round != 2)
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
        sem_post(&ping);
    }
}
