// A test-and-test-and-set lock: N threads spin on a load, then try to swap.
#include "threads.h"

static atomic_int lock;
static int inside;

static void *work(void *unused)
{
    int expected;
    do {
        while (atomic_load(&lock)) {
        }
        expected = 0;
    } while (!atomic_compare_exchange_strong(&lock, &expected, 1));
    inside++;
    atomic_store(&lock, 0);
    return unused;
}

int main(void)
{
    run(N, work);
    assert(inside == N);
    return 0;
}
