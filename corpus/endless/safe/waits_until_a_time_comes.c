// A thread polls until a time comes that its clock, which is limited, does not reach: it waits, but
// not for ever.
// options: --clock-steps 3
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int count;

static void *counts(void *unused)
{
    atomic_fetch_add(&count, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, counts, 0);
    time_t end = time(0) + 100;
    while (time(0) < end && atomic_load(&count) < 5)
        sched_yield();
    pthread_join(thread, 0);
    return 0;
}
