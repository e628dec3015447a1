// Which thread of a barrier is the serial one is not fixed: not always the last one to be created.
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;

static void *work(void *unused)
{
    assert(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD); // expect: assertion
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&thread, 0, work, 0);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, 0);
    return 0;
}
