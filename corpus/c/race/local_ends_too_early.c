// A thread returns while another may still write to its local: nothing orders the two, and no lock or access shows it.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t published, seen, unrelated;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *_Atomic shared;

static void *user(void *unused)
{
    sem_wait(&published);
    sem_post(&seen);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    *shared = 1; // expect: data-race, memory.use-after-scope, memory.use-after-return
    return NULL;
}

static void *owner(void *unused)
{
    int local = 0;
    shared = &local;
    sem_post(&published);
    sem_wait(&seen);
    sem_post(&unrelated);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&published, 0, 0);
    sem_init(&seen, 0, 0);
    sem_init(&unrelated, 0, 0);
    pthread_create(&a, NULL, user, NULL);
    pthread_create(&b, NULL, owner, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
