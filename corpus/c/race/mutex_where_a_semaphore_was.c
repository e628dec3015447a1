// Memory that was a mutex, then a semaphore, and is a mutex again: a plain read meets the mutex.
// expect-anywhere: data-race
#include <pthread.h>
#include <semaphore.h>

static union {
    pthread_mutex_t lock;
    struct {
        long pad;
        sem_t units;
    } queue;
    long words[5];
} slot;

static void *idles(void *arg) { return arg; }

static void *locks(void *arg)
{
    pthread_mutex_lock(&slot.lock);
    pthread_mutex_unlock(&slot.lock);
    return arg;
}

static void *looks(void *arg)
{
    long seen = slot.words[2];
    (void)seen;
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], 0, idles, 0);
    pthread_mutex_init(&slot.lock, 0);
    pthread_mutex_destroy(&slot.lock);
    sem_init(&slot.queue.units, 0, 0);
    sem_destroy(&slot.queue.units);
    pthread_mutex_init(&slot.lock, 0);
    pthread_create(&t[1], 0, locks, 0);
    pthread_create(&t[2], 0, looks, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
