// One post for two waits.
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;

static void *work(void *unused)
{
    sem_wait(&semaphore); // expect: deadlock
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&semaphore, 0, 0);
    pthread_create(&thread, 0, work, 0);
    sem_post(&semaphore);
    work(0);
    pthread_join(thread, 0);
    return 0;
}
