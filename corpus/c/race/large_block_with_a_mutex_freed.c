// A block of more than a MiB, with a mutex in it, is freed without any order after the unlock.
// expect-anywhere: data-race
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static struct {
    pthread_mutex_t lock;
    char buffer[1 << 20];
} *block;
static atomic_int done;

static void *work(void *arg)
{
    pthread_mutex_lock(&block->lock);
    pthread_mutex_unlock(&block->lock);
    atomic_store_explicit(&done, 1, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t t;
    block = malloc(sizeof *block);
    pthread_mutex_init(&block->lock, 0);
    pthread_create(&t, 0, work, 0);
    if (atomic_load_explicit(&done, memory_order_relaxed))
        free(block);
    pthread_join(t, 0);
    return 0;
}
