// Anderson's array lock: each of N threads spins on a slot of its own.
#include "threads.h"

static atomic_bool turn[N];
static atomic_uint next;
static int inside;

static void *work(void *unused)
{
    unsigned slot = atomic_fetch_add(&next, 1) % N;
    while (!atomic_load(&turn[slot])) {
    }
    atomic_store(&turn[slot], false);
    inside++;
    atomic_store(&turn[(slot + 1) % N], true);
    return unused;
}

int main(void)
{
    turn[0] = true;
    run(N, work);
    assert(inside == N);
    return 0;
}
