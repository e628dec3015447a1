// A sense-reversing barrier: N threads, the last one turns the sense, the others spin on it.
#include "threads.h"

static atomic_int left = N;
static atomic_bool sense;
static int arrived[N];

static void *work(void *number)
{
    arrived[(long)number] = 1;
    if (atomic_fetch_sub(&left, 1) == 1) {
        atomic_store(&left, N);
        atomic_store(&sense, true);
    } else {
        while (!atomic_load(&sense)) {
        }
    }
    assert(arrived[((long)number + 1) % N]);
    return 0;
}

int main(void)
{
    run(N, work);
    return 0;
}
