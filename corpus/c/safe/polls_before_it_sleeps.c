// A semaphore that is polled a thousand times before a thread sleeps: the polls of such a loop are one.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

struct counter {
    atomic_int count;
    sem_t sleepers;
};

static struct counter full, empty;
static int box;

static void down(struct counter *counter)
{
    int left = 1000;
    while (--left >= 0)
        if (atomic_load_explicit(&counter->count, memory_order_relaxed) > 0) {
            atomic_fetch_sub(&counter->count, 1);
            return;
        }
    if (atomic_fetch_sub(&counter->count, 1) <= 0)
        sem_wait(&counter->sleepers);
}

static void up(struct counter *counter)
{
    if (atomic_fetch_add(&counter->count, 1) < 0)
        sem_post(&counter->sleepers);
}

static void *produce(void *unused)
{
    for (int i = 1; i <= 2; i++) {
        down(&empty);
        box = i;
        up(&full);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&full.sleepers, 0, 0);
    sem_init(&empty.sleepers, 0, 0);
    empty.count = 1;
    pthread_create(&thread, 0, produce, 0);
    for (int i = 1; i <= 2; i++) {
        down(&full);
        assert(box == i);
        up(&empty);
    }
    pthread_join(thread, 0);
    return 0;
}
