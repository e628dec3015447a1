// The barrier waits for a thread that took another path.
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t barrier;
static atomic_int skip;

static void *work(void *unused)
{
    if (!skip)
        pthread_barrier_wait(&barrier);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&thread, 0, work, 0);
    skip = 1;
    pthread_barrier_wait(&barrier); // expect: deadlock
    pthread_join(thread, 0);
    return 0;
}
