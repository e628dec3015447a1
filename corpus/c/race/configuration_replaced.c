// A configuration is replaced while somebody reads it, and freed once nobody does. FAULT 1: it is published without order. 2: it is written
// again although it may still be read. 3: readers do not say that they read.
// variant: -DFAULT=0 verdict(verified)
// variant: -DFAULT=1
// variant: -DFAULT=2
// variant: -DFAULT=3
// expect-anywhere: data-race, memory.use-after-free
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct configuration {
    int first, second;
};

static const memory_order order = FAULT == 1 ? memory_order_relaxed : memory_order_acq_rel;
static const memory_order look = FAULT == 1 ? memory_order_relaxed : memory_order_acquire;
static _Atomic(struct configuration *) current;
static atomic_int readers;

static struct configuration *make(int value)
{
    struct configuration *made = malloc(sizeof *made);
    made->first = made->second = value;
    return made;
}

static void *read(void *unused)
{
    for (int i = 0; i < 2; i++) {
        if (FAULT != 3)
            atomic_fetch_add(&readers, 1);
        struct configuration *seen = atomic_load_explicit(&current, look);
        assert(seen->first == seen->second);
        if (FAULT != 3)
            atomic_fetch_sub(&readers, 1);
    }
    return unused;
}

int main(void)
{
    pthread_t reader;
    atomic_init(&current, make(0));
    pthread_create(&reader, 0, read, 0);
    struct configuration *old = atomic_exchange_explicit(&current, make(1), order);
    if (atomic_load(&readers) == 0) {
        free(old);
        old = 0;
    } else if (FAULT == 2) {
        old->first = 7;
    }
    pthread_join(reader, 0);
    if (FAULT != 3)
        free(old);
    return 0;
}
