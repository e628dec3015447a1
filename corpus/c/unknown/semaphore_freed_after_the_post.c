// All is well here. But the end of memory is not ordered with operations on objects in it, if accesses are actions.
// unknown: the end of memory with a semaphore in it while other threads run
// options: --property memory --visibility memory
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t *done;

static void *post(void *unused)
{
    sem_post(done);
    return unused;
}

int main(void)
{
    pthread_t thread;
    done = malloc(sizeof *done);
    sem_init(done, 0, 0);
    pthread_create(&thread, 0, post, 0);
    sem_wait(done);
    free(done);
    pthread_join(thread, 0);
    return 0;
}
