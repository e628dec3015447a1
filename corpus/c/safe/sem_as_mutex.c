// A semaphore of value 1 excludes.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;
static int counter;

static void *add(void *unused)
{
    sem_wait(&semaphore);
    counter++;
    sem_post(&semaphore);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&semaphore, 0, 1);
    pthread_create(&thread, 0, add, 0);
    add(0);
    pthread_join(thread, 0);
    assert(counter == 2);
    sem_destroy(&semaphore);
    return 0;
}
