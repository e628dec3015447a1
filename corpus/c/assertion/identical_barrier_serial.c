// Identical threads at a barrier: the one that the barrier chooses need not be the last to arrive.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t barrier;
static atomic_int arrived;

static void *work(void *unused)
{
    int mine = atomic_fetch_add(&arrived, 1);
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        assert(mine == 1); // expect: assertion
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&barrier, 0, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}
