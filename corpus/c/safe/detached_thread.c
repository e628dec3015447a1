// Detached by an attribute, and detached later: nobody joins, a semaphore tells when the work is done.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t done;
static int results[2];

static void *work(void *result)
{
    *(int *)result = 1;
    sem_post(&done);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_attr_t attributes;
    sem_init(&done, 0, 0);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&a, &attributes, work, &results[0]);
    pthread_attr_destroy(&attributes);
    pthread_create(&b, 0, work, &results[1]);
    pthread_detach(b);
    sem_wait(&done);
    sem_wait(&done);
    assert(results[0] + results[1] == 2);
    return 0;
}
