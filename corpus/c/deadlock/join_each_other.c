// Two threads join each other.
#include <pthread.h>
#include <semaphore.h>

static pthread_t threads[2];
static sem_t named;

static void *work(void *number)
{
    sem_wait(&named);
    pthread_join(threads[1 - *(int *)number], 0); // expect: deadlock
    return 0;
}

int main(void)
{
    static int numbers[2] = {0, 1};
    sem_init(&named, 0, 0);
    pthread_create(&threads[0], 0, work, &numbers[0]);
    pthread_create(&threads[1], 0, work, &numbers[1]);
    sem_post(&named);
    sem_post(&named);
    pthread_exit(0);
}
