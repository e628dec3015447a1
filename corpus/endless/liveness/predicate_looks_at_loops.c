// The loop decides about nothing but its own end, and the first order of threads leaves it at once.
// variant: --property assertion,deadlock
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
    while (flag == 1) // expect: liveness.spin
        ;
    pthread_join(thread, 0);
}
