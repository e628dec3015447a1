// A semaphore that polls before it sleeps: what it reads, and how it pauses, are functions of their own.
// One read is enough; each further round would multiply the schedules.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

struct units {
    atomic_int count;
    sem_t sleepers;
};

static struct units items, slots;
static int buffer;

static int load(struct units *of)
{
    return atomic_load_explicit(&of->count, memory_order_relaxed);
}

static void relax(void)
{
    __builtin_ia32_pause();
}

static void take(struct units *of)
{
    for (int spin = 1024; --spin >= 0;) {
        if (load(of) > 0)
            break;
        relax();
    }
    if (atomic_fetch_add(&of->count, -1) <= 0)
        sem_wait(&of->sleepers);
}

static void give(struct units *of)
{
    if (atomic_fetch_add(&of->count, 1) < 0)
        sem_post(&of->sleepers);
}

static void *producer(void *unused)
{
    for (int value = 1; value <= 2; value++) {
        take(&slots);
        buffer = value;
        give(&items);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&items.sleepers, 0, 0);
    sem_init(&slots.sleepers, 0, 0);
    slots.count = 1;
    pthread_create(&thread, 0, producer, 0);
    for (int value = 1; value <= 2; value++) {
        take(&items);
        assert(buffer == value);
        give(&slots);
    }
    pthread_join(thread, 0);
    return 0;
}
