// Dekker's algorithm: two threads enter ROUNDS times each.
#include "threads.h"

static atomic_bool wants[2];
static atomic_int turn;
static int inside;

static void *work(void *number)
{
    int me = (int)(long)number;
    for (int i = 0; i < ROUNDS; i++) {
        atomic_store(&wants[me], true);
        while (atomic_load(&wants[1 - me])) {
            if (atomic_load(&turn) != me) {
                atomic_store(&wants[me], false);
                while (atomic_load(&turn) != me) {
                }
                atomic_store(&wants[me], true);
            }
        }
        inside++;
        atomic_store(&turn, 1 - me);
        atomic_store(&wants[me], false);
    }
    return 0;
}

int main(void)
{
    run(2, work);
    assert(inside == 2 * ROUNDS);
    return 0;
}
