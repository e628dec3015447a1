// An allocator with caches for each thread: blocks of a size class come from the thread's cache, which takes several at
// a time from a pool under a lock and gives them back. The assertions are about classes and sizes.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#ifndef THREADS
#define THREADS 4
#endif
#define CLASSES 4
#define BLOCKS 32
#define BATCH 2
#define ROUNDS 3

struct block {
    struct block *next;
    int class;
    unsigned char bytes[128];
};

struct cache {
    struct block *free[CLASSES];
    int count[CLASSES];
};

static struct pool {
    pthread_mutex_t lock;
    struct block *free;
    int used;
} pools[CLASSES];
static struct block memory[CLASSES][BLOCKS];
static pthread_mutex_t totals_lock = PTHREAD_MUTEX_INITIALIZER;
static long allocated, returned;

static int class_of(size_t size)
{
    int class = 0;
    for (size_t room = 16; room < size; room *= 2)
        class++;
    return class;
}

static size_t size_of(int class)
{
    return (size_t)16 << class;
}

static void refill(struct cache *cache, int class)
{
    struct pool *pool = &pools[class];
    pthread_mutex_lock(&pool->lock);
    for (int i = 0; i < BATCH; i++) {
        struct block *block = pool->free;
        if (block)
            pool->free = block->next;
        else if (pool->used < BLOCKS)
            block = &memory[class][pool->used++];
        if (block) {
            block->next = cache->free[class];
            cache->free[class] = block;
            cache->count[class]++;
        }
    }
    pthread_mutex_unlock(&pool->lock);
}

static void drain(struct cache *cache, int class, int keep)
{
    struct pool *pool = &pools[class];
    pthread_mutex_lock(&pool->lock);
    while (cache->count[class] > keep) {
        struct block *block = cache->free[class];
        cache->free[class] = block->next;
        cache->count[class]--;
        block->next = pool->free;
        pool->free = block;
    }
    pthread_mutex_unlock(&pool->lock);
}

static struct block *allocate(struct cache *cache, size_t size)
{
    int class = class_of(size);
    assert(class >= 0 && class < CLASSES);
    assert(size <= size_of(class));
    assert(class == 0 || size > size_of(class - 1));
    if (!cache->free[class])
        refill(cache, class);
    struct block *block = cache->free[class];
    if (block) {
        cache->free[class] = block->next;
        cache->count[class]--;
        block->class = class;
    }
    return block;
}

static void release(struct cache *cache, struct block *block)
{
    int class = block->class;
    block->next = cache->free[class];
    cache->free[class] = block;
    if (++cache->count[class] > 2 * BATCH)
        drain(cache, class, BATCH);
}

static void *work(void *arg)
{
    struct cache cache = {{0}, {0}};
    struct block *held[ROUNDS];
    unsigned random = 1 + (unsigned)(intptr_t)arg;
    for (int i = 0; i < ROUNDS; i++) {
        random = random * 1103515245u + 12345u;
        held[i] = allocate(&cache, 1 + (random >> 16) % 128);
        pthread_mutex_lock(&totals_lock);
        allocated++;
        pthread_mutex_unlock(&totals_lock);
    }
    for (int i = 0; i < ROUNDS; i++)
        if (held[i]) {
            release(&cache, held[i]);
            pthread_mutex_lock(&totals_lock);
            returned++;
            pthread_mutex_unlock(&totals_lock);
        }
    for (int class = 0; class < CLASSES; class++)
        drain(&cache, class, 0);
    return 0;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < CLASSES; i++)
        pthread_mutex_init(&pools[i].lock, 0);
    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
