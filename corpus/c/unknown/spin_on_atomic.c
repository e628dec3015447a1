// A loop that waits and does something in each round has endless executions: a bound on events ends them, and the
// answer says so. Its states are few.
// options: --max-events 300
// unknown: events
// with-cutoffs: verified
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag, noise;

static void *set(void *unused)
{
    // In another size, which reads-from does not cover.
    atomic_fetch_or(&noise, 0);
    flag = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, set, 0);
    while (!flag)
        atomic_fetch_xor((_Atomic char *)&noise, 1);
    pthread_join(thread, 0);
    return 0;
}
