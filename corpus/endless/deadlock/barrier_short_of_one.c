// A barrier for three, and two threads come to it: the third one serves for ever.
// expect-anywhere: deadlock.partial
#include <pthread.h>

static pthread_barrier_t start;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_barrier_wait(&start);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_barrier_init(&start, 0, 3);
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, 0);
    for (;;) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
}
