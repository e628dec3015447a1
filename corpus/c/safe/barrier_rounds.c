// A barrier can be used again: two rounds keep two threads in step.
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int a, b;

static void *partner(void *unused)
{
    pthread_barrier_wait(&barrier);
    b = a + 1;
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&thread, 0, partner, 0);
    a = 1;
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    assert(b == 2);
    pthread_join(thread, 0);
    return 0;
}
