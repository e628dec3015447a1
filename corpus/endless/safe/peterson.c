// Peterson's protocol for ever.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn;
static atomic_int inside;

static void *enter(void *arg)
{
    int me = arg != 0;
    for (;;) {
        atomic_store(&wants[me], 1);
        atomic_store(&turn, !me);
        while (atomic_load(&wants[!me]) && atomic_load(&turn) == !me) {
        }
        atomic_fetch_add(&inside, 1);
        assert(atomic_load(&inside) == 1);
        atomic_fetch_sub(&inside, 1);
        atomic_store(&wants[me], 0);
    }
    return arg;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, enter, &turn);
    enter(0);
    return 0;
}
