// The threads do the same, but for the one that finds that it is the first.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_t threads[2];
static atomic_int known, order;

static void *work(void *unused)
{
    int mine = atomic_fetch_add(&order, 1);
    if (atomic_load(&known) && pthread_equal(pthread_self(), threads[0]))
        assert(mine == 0); // expect: assertion
    return unused;
}

int main(void)
{
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, 0);
    atomic_store(&known, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}
