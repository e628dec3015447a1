// The thread that would post stops at a false assumption, whatever the others do: executions that
// come to that do not count, so nobody waits for ever.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

void __VERIFIER_assume(int condition);

static atomic_int level;
static sem_t ready;

static void *waiter(void *unused)
{
    sem_wait(&ready);
    return unused;
}

static void *poster(void *unused)
{
    __VERIFIER_assume(atomic_load(&level) == 1);
    sem_post(&ready);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    sem_init(&ready, 0, 0);
    pthread_create(&one, 0, waiter, 0);
    pthread_create(&two, 0, poster, 0);
    for (;;)
        atomic_load(&level);
}
