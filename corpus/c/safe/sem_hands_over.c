// A post publishes what was written before it to the thread whose wait it ends.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t filled, emptied;
static int slot;

static void *producer(void *unused)
{
    for (int i = 1; i <= 2; i++) {
        sem_wait(&emptied);
        slot = i;
        sem_post(&filled);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&filled, 0, 0);
    sem_init(&emptied, 0, 1);
    pthread_create(&thread, 0, producer, 0);
    for (int i = 1; i <= 2; i++) {
        sem_wait(&filled);
        assert(slot == i);
        sem_post(&emptied);
    }
    pthread_join(thread, 0);
    return 0;
}
