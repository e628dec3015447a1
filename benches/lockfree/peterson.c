// Peterson's filter lock for N threads.
#include "threads.h"

static atomic_int level[N], last[N];
static int inside;

static bool waits(int me, int at)
{
    if (atomic_load(&last[at]) != me)
        return false;
    for (int other = 0; other < N; other++)
        if (other != me && atomic_load(&level[other]) >= at)
            return true;
    return false;
}

static void *work(void *number)
{
    int me = (int)(long)number;
    for (int at = 1; at < N; at++) {
        atomic_store(&level[me], at);
        atomic_store(&last[at], me);
        while (waits(me, at)) {
        }
    }
    inside++;
    atomic_store(&level[me], 0);
    return 0;
}

int main(void)
{
    run(N, work);
    assert(inside == N);
    return 0;
}
