// zstd's thread pool with three workers and four jobs that are all the same: far more classes of executions than states, so
// `selvedge check --strategy unfold` comes to the end of it by cutoffs; `make demo` runs it.
//
// The pool is zstd's own lib/common/pool.c and lib/common/threading.c, unchanged.
#include <assert.h>
#include <pthread.h>
#include "pool.h"

#ifndef WORKERS
#define WORKERS 3
#endif
#define JOBS 4

static pthread_mutex_t counter_lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void job(void *amount)
{
    pthread_mutex_lock(&counter_lock);
    counter += *(int *)amount;
    pthread_mutex_unlock(&counter_lock);
}

int main(void)
{
    static int amount = 10;
    POOL_ctx *pool = POOL_create(WORKERS, JOBS);
    assert(pool);
    for (int i = 0; i < JOBS; i++)
        POOL_add(pool, job, &amount);
    POOL_joinJobs(pool);
    POOL_free(pool);
    assert(counter == 40);
    return 0;
}
