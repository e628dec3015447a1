// Each thread takes the lock, or the flag, in one execution; what the others find then has no order. The flag is taken as a
// test-and-set lock is: an exchange that finds it set, and does not release, is a read.
// count(dpor)=9
// count(unfold)=18
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int flag;
static int has[6];

static void *locks(void *mine)
{
    *(int *)mine = pthread_mutex_trylock(&lock) == 0;
    return 0;
}

static void *sets(void *mine)
{
    *(int *)mine = atomic_exchange_explicit(&flag, 1, memory_order_acquire) == 0;
    return 0;
}

int main(void)
{
    pthread_t threads[6];
    for (int i = 0; i < 6; i++)
        pthread_create(&threads[i], 0, i < 3 ? locks : sets, &has[i]);
    for (int i = 0; i < 6; i++)
        pthread_join(threads[i], 0);
    assert(has[0] + has[1] + has[2] == 1 && has[3] + has[4] + has[5] == 1);
    return 0;
}
