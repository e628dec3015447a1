// N threads write one variable, which is read when they have ended.
#include "threads.h"

static atomic_int value;

static void *work(void *number)
{
    atomic_store(&value, (int)(long)number + 1);
    return 0;
}

int main(void)
{
    run(N, work);
    assert(value >= 1 && value <= N);
    return 0;
}
