// The last of two owners frees the object: the decrement releases and acquires.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct shared {
    atomic_int owners;
    int value[2];
};

static void *drop(void *object)
{
    struct shared *shared = object;
    shared->value[0] = 1;
    if (atomic_fetch_sub_explicit(&shared->owners, 1, memory_order_acq_rel) == 1)
        free(shared);
    return 0;
}

static void *drop_other(void *object)
{
    struct shared *shared = object;
    shared->value[1] = 1;
    if (atomic_fetch_sub_explicit(&shared->owners, 1, memory_order_acq_rel) == 1)
        free(shared);
    return 0;
}

int main(void)
{
    struct shared *shared = malloc(sizeof *shared);
    atomic_init(&shared->owners, 2);
    pthread_t thread;
    pthread_create(&thread, 0, drop, shared);
    drop_other(shared);
    pthread_join(thread, 0);
    return 0;
}
