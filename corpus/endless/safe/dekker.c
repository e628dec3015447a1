// Dekker's protocol for ever; what it guards is no atomic variable.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn;
static int inside;

static void *enter(void *arg)
{
    int me = arg != 0;
    for (;;) {
        atomic_store(&wants[me], 1);
        while (atomic_load(&wants[!me])) {
            if (atomic_load(&turn) != me) {
                atomic_store(&wants[me], 0);
                while (atomic_load(&turn) != me) {
                }
                atomic_store(&wants[me], 1);
            }
        }
        inside++;
        assert(inside == 1);
        inside--;
        atomic_store(&turn, !me);
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
