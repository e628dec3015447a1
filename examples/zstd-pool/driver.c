// A small user of zstd's thread pool: two workers, a queue of two, two jobs, wait for them, free the pool.
//
// The pool is zstd's own lib/common/pool.c and lib/common/threading.c, unchanged. Run it with `make demo`.
// As it stands: verified. With -DFORGET_THE_LOCK the caller makes one mistake, which `make demo` shows as a data race:
// each job adds to the counter without taking the mutex that protects it.
#include <assert.h>
#include <pthread.h>
#include "pool.h"

static pthread_mutex_t counter_lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void job(void *argument)
{
    int amount = *(int *)argument;
#ifdef FORGET_THE_LOCK
    counter += amount;
#else
    pthread_mutex_lock(&counter_lock);
    counter += amount;
    pthread_mutex_unlock(&counter_lock);
#endif
}

int main(void)
{
    static int amounts[2] = {1, 10};
    POOL_ctx *pool = POOL_create(2, 2);
    assert(pool);
    POOL_add(pool, job, &amounts[0]);
    POOL_add(pool, job, &amounts[1]);
    POOL_joinJobs(pool);
    POOL_free(pool);
    assert(counter == 11);
    return 0;
}
