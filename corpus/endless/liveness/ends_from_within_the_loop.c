// The loop has no end of its own: the thread ends in it, if it ever reads 2.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int phase;

static void *work(void *unused)
{
    for (;;)
        if (atomic_load(&phase) == 2) // expect: liveness.spin
            pthread_exit(unused);
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    atomic_fetch_add(&phase, 1);
    pthread_join(thread, NULL);
    return 0;
}
