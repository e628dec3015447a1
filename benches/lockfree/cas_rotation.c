// Each of N threads tries once to turn its number into the next one.
#include "threads.h"

static atomic_int value;

static void *work(void *number)
{
    int expected = (int)(long)number;
    atomic_compare_exchange_strong(&value, &expected, (expected + 1) % N);
    return 0;
}

int main(void)
{
    run(N, work);
    assert(value < N);
    return 0;
}
