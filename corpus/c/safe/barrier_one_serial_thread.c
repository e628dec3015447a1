// Exactly one thread of each round is told that it is the serial one.
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;

static void *work(void *serial)
{
    int result = pthread_barrier_wait(&barrier);
    assert(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
    *(int *)serial = result == PTHREAD_BARRIER_SERIAL_THREAD;
    return 0;
}

int main(void)
{
    int mine, other;
    pthread_t thread;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&thread, 0, work, &other);
    work(&mine);
    pthread_join(thread, 0);
    assert(mine + other == 1);
    return 0;
}
