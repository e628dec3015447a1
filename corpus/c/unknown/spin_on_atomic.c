// A spin loop on an atomic has endless executions: a bound on events ends them, and the answer says so. Its states
// are few.
// options: --max-events 300
// unknown: events
// with-cutoffs: verified
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void *set(void *unused)
{
    flag = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, set, 0);
    while (!flag)
        ;
    pthread_join(thread, 0);
    return 0;
}
