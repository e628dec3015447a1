// zstd's thread pool for every number of workers (1 or 2), size of the queue (0 to 2) and number of jobs (0 to 2), each with all
// schedules: every job runs once, and the pool ends.
//
// The pool is zstd's own lib/common/pool.c and lib/common/threading.c, unchanged. `cargo xtask bench` runs it.
#include <assert.h>
#include <pthread.h>
#include "pool.h"

int klee_range(int begin, int end, const char *name);

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
    static int amounts[2] = {1, 10};
    static const int sums[3] = {0, 1, 11};
    int threads = klee_range(1, 3, "threads");
    int queue = klee_range(0, 3, "queue");
    int jobs = klee_range(0, 3, "jobs");
    POOL_ctx *pool = POOL_create((size_t)threads, (size_t)queue);
    assert(pool);
    for (int i = 0; i < jobs; i++)
        POOL_add(pool, job, &amounts[i]);
    POOL_joinJobs(pool);
    POOL_free(pool);
    assert(counter == sums[jobs]);
    return 0;
}
