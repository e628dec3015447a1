// One thread writes a plain value and raises a flag for each of N readers, who spin on theirs.
#include "threads.h"

static atomic_bool raised[N];
static int value;

static void *work(void *number)
{
    long me = (long)number;
    if (me == N) {
        value = 1;
        for (int i = 0; i < N; i++)
            atomic_store_explicit(&raised[i], true, memory_order_release);
    } else {
        while (!atomic_load_explicit(&raised[me], memory_order_acquire)) {
        }
        assert(value == 1);
    }
    return 0;
}

int main(void)
{
    run(N + 1, work);
    return 0;
}
