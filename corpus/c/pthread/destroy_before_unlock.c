// A mutex may be destroyed between the post and the unlock behind it: seen only if the unlock is a step of its own.
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t ready;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    sem_post(&ready);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&ready, 0, 0);
    pthread_create(&thread, 0, work, 0);
    sem_wait(&ready);
    pthread_mutex_destroy(&lock); // expect: pthread.destroy-locked
    pthread_join(thread, 0);
    return 0;
}
