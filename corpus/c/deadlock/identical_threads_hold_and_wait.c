// Identical threads: whoever comes first keeps the lock and waits for a post that only the second one
// would make.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t ready;
static atomic_int arrived;

static void *work(void *unused)
{
    int before = atomic_fetch_add(&arrived, 1);
    pthread_mutex_lock(&lock);
    if (before == 0)
        sem_wait(&ready); // expect: deadlock
    else
        sem_post(&ready);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    sem_init(&ready, 0, 0);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
