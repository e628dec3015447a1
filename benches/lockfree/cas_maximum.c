// The largest number that any of N threads has, by compare and swap.
#include "threads.h"

static atomic_int largest;

static void *work(void *number)
{
    int mine = (int)(long)number + 1, seen = atomic_load(&largest);
    while (seen < mine && !atomic_compare_exchange_strong(&largest, &seen, mine)) {
    }
    return 0;
}

int main(void)
{
    run(N, work);
    assert(largest == N);
    return 0;
}
