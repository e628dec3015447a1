// Either post may have ended the wait: the data of one of the two posters is not ordered.
#include <pthread.h>
#include <semaphore.h>

static sem_t done;
static int results[2];

static void *work(void *result)
{
    *(int *)result = 1; // expect: data-race
    sem_post(&done);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&done, 0, 0);
    pthread_create(&a, 0, work, &results[0]);
    pthread_create(&b, 0, work, &results[1]);
    sem_wait(&done);
    int sum = results[0] + results[1];
    pthread_join(a, 0);
    pthread_join(b, 0);
    return sum & 0;
}
