// Whoever of N threads comes first sets up, the others spin until it is done.
#include "threads.h"

static atomic_int state;
static int value;

static void *work(void *unused)
{
    int expected = 0;
    if (atomic_compare_exchange_strong(&state, &expected, 1)) {
        value = 1;
        atomic_store(&state, 2);
    } else {
        while (atomic_load(&state) != 2) {
        }
    }
    assert(value == 1);
    return unused;
}

int main(void)
{
    run(N, work);
    return 0;
}
