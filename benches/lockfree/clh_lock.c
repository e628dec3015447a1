// The queue lock of Craig, Landin and Hagersten: each of N threads spins on the node before its own.
#include "threads.h"

static atomic_bool busy[N + 1];
static atomic_int tail;
static int inside;

static void *work(void *number)
{
    int mine = (int)(long)number + 1;
    atomic_store(&busy[mine], true);
    int before = atomic_exchange(&tail, mine);
    while (atomic_load(&busy[before])) {
    }
    inside++;
    atomic_store(&busy[mine], false);
    return 0;
}

int main(void)
{
    run(N, work);
    assert(inside == N);
    return 0;
}
