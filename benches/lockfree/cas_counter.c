// A counter: N threads add one by compare and swap, and retry.
#include "threads.h"

static atomic_int counter;

static void *work(void *unused)
{
    int seen = atomic_load(&counter);
    while (!atomic_compare_exchange_strong(&counter, &seen, seen + 1)) {
    }
    return unused;
}

int main(void)
{
    run(N, work);
    assert(counter == N);
    return 0;
}
