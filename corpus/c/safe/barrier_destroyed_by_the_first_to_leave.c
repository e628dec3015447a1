// As barrier_freed_by_the_first_to_leave.c, but destroyed before.
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t *barrier;

static void *work(void *arg)
{
    pthread_barrier_wait(barrier);
    return arg;
}

int main(void)
{
    pthread_t t;
    barrier = malloc(sizeof *barrier);
    pthread_barrier_init(barrier, 0, 2);
    pthread_create(&t, 0, work, 0);
    pthread_barrier_wait(barrier);
    pthread_barrier_destroy(barrier);
    free(barrier);
    pthread_join(t, 0);
    return 0;
}
