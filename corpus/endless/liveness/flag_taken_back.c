// The flag is set and taken back at once: a reader that looks too late waits for ever.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void *pulse(void *unused)
{
    atomic_store(&flag, 1);
    atomic_store(&flag, 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, pulse, NULL);
    while (atomic_load(&flag) == 0) // expect: liveness.spin
        ;
    pthread_join(thread, NULL);
    return 0;
}
