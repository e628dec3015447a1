// The writer writes after the barrier where it should have written before it.
#include <pthread.h>

static pthread_barrier_t barrier;
static int value;

static void *writer(void *unused)
{
    pthread_barrier_wait(&barrier);
    value = 1; // expect: data-race
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&thread, 0, writer, 0);
    pthread_barrier_wait(&barrier);
    int seen = value;
    pthread_join(thread, 0);
    return seen & 0;
}
