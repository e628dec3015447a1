// The creator's frame is gone when the detached thread writes its result there.
#include <pthread.h>
#include <semaphore.h>

static sem_t gone;

static void *work(void *result)
{
    sem_wait(&gone);
    *(int *)result = 1; // expect: memory.use-after-return, memory.use-after-scope
    sem_post(&gone);
    return 0;
}

static void start(pthread_t *thread)
{
    int result = 0;
    pthread_create(thread, 0, work, &result);
}

int main(void)
{
    pthread_t thread;
    sem_init(&gone, 0, 0);
    start(&thread);
    sem_post(&gone);
    pthread_join(thread, 0);
    return 0;
}
