// To which processors a thread was bound is not kept.
// unknown: the processors of a thread after threads were bound to some
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>

int main(void)
{
    cpu_set_t set;
    assert(sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == 2);
    CPU_CLR(1, &set);
    assert(pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0);
    sched_getaffinity(0, sizeof set, &set);
    assert(CPU_COUNT(&set) == 2); // fails
    return 0;
}
