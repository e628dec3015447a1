// One thread writes a variable, and N threads read it once each.
#include "threads.h"

static atomic_int value;

static void *work(void *number)
{
    if ((long)number == N)
        atomic_store(&value, 1);
    else
        assert(atomic_load(&value) <= 1);
    return 0;
}

int main(void)
{
    run(N + 1, work);
    return 0;
}
