// A semaphore with a name, which two threads open for themselves.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

static int value;

static void *post(void *unused)
{
    sem_t *ready = sem_open("/ready", O_CREAT, 0600, 0u);
    assert(ready != SEM_FAILED);
    value = 7;
    sem_post(ready);
    assert(sem_close(ready) == 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, post, 0);
    sem_t *ready = sem_open("/ready", O_CREAT, 0600, 0u);
    assert(ready != SEM_FAILED);
    sem_wait(ready);
    assert(value == 7);
    pthread_join(thread, 0);
    assert(sem_unlink("/ready") == 0 && sem_unlink("/ready") == -1);
    assert(sem_close(ready) == 0);
    return 0;
}
