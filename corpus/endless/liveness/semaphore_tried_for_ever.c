// Three take what two have posted, and none of them waits in the semaphore.
#include <pthread.h>
#include <semaphore.h>

static sem_t items;

static void *take(void *unused)
{
    while (sem_trywait(&items)) // expect: liveness.spin
        ;
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    sem_init(&items, 0, 0);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, take, NULL);
    sem_post(&items);
    sem_post(&items);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
