// A thread spins on a plain flag: the race on the flag is found although the loop has no visible action.
// options: --unroll 100
#include <pthread.h>

static int flag;

static void *setter(void *unused)
{
    flag = 1; // expect: data-race
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, setter, 0);
    while (!*(volatile int *)&flag)
        ;
    pthread_join(thread, 0);
    return 0;
}
