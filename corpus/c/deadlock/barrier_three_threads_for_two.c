// Three threads at a barrier for two: one of them stays behind.
#include <pthread.h>

static pthread_barrier_t barrier;

static void *work(void *unused)
{
    pthread_barrier_wait(&barrier); // expect: deadlock
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    work(0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
