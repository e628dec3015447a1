// A barrier is destroyed while a thread may be waiting at it.
#include <pthread.h>

static pthread_barrier_t barrier;

static void *arrive(void *unused)
{
    pthread_barrier_wait(&barrier); // expect: pthread.use-destroyed
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&thread, 0, arrive, 0);
    pthread_barrier_destroy(&barrier); // expect: pthread.barrier-destroy-waiting
    return 0;
}
