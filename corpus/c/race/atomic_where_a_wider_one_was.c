// Memory of one wide atomic variable holds two narrow ones later. Reading one of them does not acquire from the other.
// expect-anywhere: data-race
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct pair {
    atomic_int a, b;
};
static void *block;
static int data;

static void *first(void *arg)
{
    atomic_store((atomic_long *)block, 0);
    return arg;
}

static void *writes(void *arg)
{
    struct pair *pair = block;
    data = 1;
    atomic_store_explicit(&pair->a, 1, memory_order_release);
    return arg;
}

static void *follows(void *arg)
{
    struct pair *pair = block;
    if (atomic_load_explicit(&pair->a, memory_order_relaxed) == 1) {
        atomic_load_explicit(&pair->b, memory_order_acquire);
        data = 2;
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    block = malloc(64);
    pthread_create(&t[0], 0, first, 0);
    pthread_join(t[0], 0);
    struct pair *pair = block;
    atomic_init(&pair->a, 0);
    atomic_init(&pair->b, 0);
    pthread_create(&t[0], 0, writes, 0);
    pthread_create(&t[1], 0, follows, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    free(block);
    return 0;
}
