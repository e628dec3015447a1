// A semaphore is destroyed while a thread may be blocked on it.
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;

static void *take(void *unused)
{
    sem_wait(&semaphore); // expect: pthread.use-destroyed
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&semaphore, 0, 0);
    pthread_create(&thread, 0, take, 0);
    sem_destroy(&semaphore); // expect: pthread.sem-destroy-waiting
    return 0;
}
