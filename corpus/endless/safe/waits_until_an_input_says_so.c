// How long it polls, an input decides in each round.
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

static atomic_int flag;

static void *watch(void *unused)
{
    while (!atomic_load(&flag))
        if (__VERIFIER_nondet_int())
            break;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, watch, NULL);
    pthread_join(thread, NULL);
    return 0;
}
