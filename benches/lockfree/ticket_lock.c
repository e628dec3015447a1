// A ticket lock: N threads draw a number and spin until it is called.
#include "threads.h"

static atomic_uint next, serving;
static int inside;

static void *work(void *unused)
{
    unsigned ticket = atomic_fetch_add(&next, 1);
    while (atomic_load(&serving) != ticket) {
    }
    inside++;
    atomic_store(&serving, ticket + 1);
    return unused;
}

int main(void)
{
    run(N, work);
    assert(inside == N);
    return 0;
}
