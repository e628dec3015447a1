// Replicated workers: a pool of work items, of which each may bring forth further ones, and workers
// that empty it.
//
// Shape: the replicated workers framework of the Concurrency Tool Comparison (CTC), in C. The pool
// is a shared array with an index under a lock; each worker keeps its results in a row of its own
// of a shared array; the computation ends when the pool is empty and all workers are idle. The
// configuration is set before the workers start.
//
// Sizes: THREADS workers (2), WORK items to begin with (1), DEPTH to which items are split into two
// (1).
// Verdict: true. ERROR=1: who ends the computation tells nobody (deadlock). ERROR=2: the end is
// seen with one worker still busy (assertion: work is left). ERROR=3: the pool's length is read
// without the lock (data race).
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef WORK
#define WORK 1
#endif
#ifndef DEPTH
#define DEPTH 1
#endif
#ifndef ERROR
#define ERROR 0
#endif

enum { PLACES = WORK << DEPTH };

struct configuration {
    int workers, depth;
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int items[PLACES];
    int length, idle;
    bool done;
};

static struct configuration *configuration;
static struct pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
static int results[THREADS][DEPTH + 1];

static void add(int item)
{
    pthread_mutex_lock(&pool.lock);
    assert(pool.length < PLACES);
    pool.items[pool.length++] = item;
    pthread_cond_signal(&pool.changed);
    pthread_mutex_unlock(&pool.lock);
}

// The next item, or -1 if there will be no more.
static int take(void)
{
    int item = -1;
#if ERROR == 3
    if (pool.length > PLACES)
        return item;
#endif
    pthread_mutex_lock(&pool.lock);
    pool.idle++;
    while (pool.length == 0 && !pool.done) {
#if ERROR == 2
        if (pool.idle >= configuration->workers - 1) {
#else
        if (pool.idle == configuration->workers) {
#endif
            pool.done = true;
#if ERROR != 1
            pthread_cond_broadcast(&pool.changed);
#endif
        } else {
            pthread_cond_wait(&pool.changed, &pool.lock);
        }
    }
    if (!pool.done) {
        item = pool.items[--pool.length];
        pool.idle--;
    }
    pthread_mutex_unlock(&pool.lock);
    return item;
}

static void *work(void *argument)
{
    int *result = results[(long)argument];
    for (int depth = take(); depth >= 0; depth = take()) {
        result[depth]++;
        if (depth < configuration->depth) {
            add(depth + 1);
            add(depth + 1);
        }
    }
    return 0;
}

int main(void)
{
    pthread_t workers[THREADS];
    configuration = malloc(sizeof *configuration);
    configuration->workers = THREADS;
    configuration->depth = DEPTH;
    for (int i = 0; i < WORK; i++)
        add(0);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&workers[i], 0, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i], 0);
    assert(pool.length == 0);
    for (int depth = 0; depth <= DEPTH; depth++) {
        int sum = 0;
        for (int i = 0; i < THREADS; i++)
            sum += results[i][depth];
        assert(sum == WORK << depth);
    }
    free(configuration);
    return 0;
}
