// A lock that N threads take by an exchange in a loop, and yield.
#include "threads.h"
#include <sched.h>

static atomic_int lock;
static int inside;

static void *work(void *unused)
{
    while (atomic_exchange(&lock, 1))
        sched_yield();
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
