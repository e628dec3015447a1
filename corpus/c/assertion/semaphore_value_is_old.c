// What sem_getvalue said may be wrong by the time it is used.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;

static void *take(void *unused)
{
    sem_wait(&semaphore);
    return unused;
}

int main(void)
{
    int value;
    pthread_t thread;
    sem_init(&semaphore, 0, 1);
    pthread_create(&thread, 0, take, 0);
    sem_getvalue(&semaphore, &value);
    if (value > 0)
        assert(sem_trywait(&semaphore) == 0); // expect: assertion
    else
        pthread_join(thread, 0);
    return 0;
}
