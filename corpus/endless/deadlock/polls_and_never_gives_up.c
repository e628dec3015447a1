// The loop counts, but gives up only if it may: a thread that must wait does so for ever.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_int ready;

static bool get(unsigned char tries, bool must_wait)
{
    do
    {
        if (atomic_load(&ready)) // expect: liveness.spin
            return true;
        tries--;
    } while (must_wait | (tries != 0));
    return false;
}

static void *wait_for_it(void *unused)
{
    get(10, true);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, wait_for_it, 0);
    pthread_join(thread, 0);
    return 0;
}
