// A semaphore is made where an atomic variable was. Reading the bytes as that variable again acquires nothing of before.
// expect-anywhere: data-race
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static union {
    atomic_int number;
    sem_t units;
} slot;
static atomic_int done;
static int data;

static void *writes(void *arg)
{
    data = 1;
    atomic_store_explicit(&slot.number, 1, memory_order_release);
    atomic_store_explicit(&done, 1, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writes, 0);
    if (atomic_load_explicit(&done, memory_order_relaxed)) {
        sem_init(&slot.units, 0, 0);
        sem_destroy(&slot.units);
        atomic_load_explicit(&slot.number, memory_order_acquire);
        data = 2;
    }
    pthread_join(t, 0);
    return 0;
}
