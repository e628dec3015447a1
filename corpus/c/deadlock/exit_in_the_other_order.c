// If the thread is the serial one, the process exits while main waits, which is no deadlock. Else the thread just ends, and main waits for ever. Both leave the
// same threads at the same places.
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t barrier;

static void *work(void *unused)
{
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        exit(0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, work, NULL);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier); // expect: deadlock
    return 0;
}
