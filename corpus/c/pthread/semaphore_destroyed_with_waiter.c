// A semaphore is destroyed while a thread is blocked on it, or before it gets there: wrong in both cases.
// expect-anywhere: pthread.sem-destroy-waiting, pthread.use-destroyed
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
    pthread_t thread;
    sem_init(&semaphore, 0, 0);
    pthread_create(&thread, 0, take, 0);
    sem_destroy(&semaphore);
    return 0;
}
