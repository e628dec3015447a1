// sem_trywait, sem_timedwait and sem_getvalue on a semaphore that nobody else uses, then with a post on its way.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;

static void *post(void *unused)
{
    sem_post(&semaphore);
    return unused;
}

int main(void)
{
    struct timespec soon = {0, 1};
    int value;
    sem_init(&semaphore, 0, 1);
    assert(sem_getvalue(&semaphore, &value) == 0 && value == 1);
    assert(sem_trywait(&semaphore) == 0);
    assert(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
    assert(sem_timedwait(&semaphore, &soon) == -1 && errno == ETIMEDOUT);
    pthread_t thread;
    pthread_create(&thread, 0, post, 0);
    if (sem_timedwait(&semaphore, &soon) == -1)
        assert(errno == ETIMEDOUT);
    else
        assert(sem_getvalue(&semaphore, &value) == 0 && value == 0);
    pthread_join(thread, 0);
    return 0;
}
