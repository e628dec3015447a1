// The worker is told by a post for each job; the producer posts once and counts rounds for ever. The second wait never ends.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t jobs;
static atomic_int round;

static void *work(void *unused)
{
    sem_wait(&jobs);
    sem_wait(&jobs); // expect: deadlock.partial
    return unused;
}

int main(void)
{
    pthread_t worker;
    sem_init(&jobs, 0, 0);
    pthread_create(&worker, 0, work, 0);
    sem_post(&jobs);
    for (;;)
        round = (round + 1) % 2;
}
