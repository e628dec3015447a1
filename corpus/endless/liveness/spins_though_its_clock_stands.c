// A thread has looked at a clock that stands still; what it waits for later has nothing to do with time.
// options: --clock-steps 0
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int never;

static void *ends(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t thread;
    time_t begin = time(0);
    pthread_create(&thread, 0, ends, 0);
    if (time(0) < begin)
        return 1;
    while (!atomic_load(&never)) // expect: liveness.spin
        ;
    pthread_join(thread, 0);
    return 0;
}
