// A thread waits for a post that never comes, beside one that polls for ever: the process ends
// nevertheless, since main returns.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static atomic_int level;
static sem_t ready;

static void *waiter(void *unused)
{
    sem_wait(&ready);
    return unused;
}

static void *poller(void *unused)
{
    while (atomic_load(&level) == 0)
        ;
    return unused;
}

int main(void)
{
    pthread_t one, two;
    sem_init(&ready, 0, 0);
    pthread_create(&one, 0, waiter, 0);
    pthread_create(&two, 0, poller, 0);
    return 0;
}
