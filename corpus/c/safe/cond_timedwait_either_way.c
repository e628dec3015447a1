// A timed wait ends with a signal or with a time-out; the program is right in both cases.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *producer(void *unused)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    struct timespec soon = {0, 1};
    int result = 0;
    pthread_t thread;
    pthread_create(&thread, 0, producer, 0);
    pthread_mutex_lock(&lock);
    while (!ready && result == 0)
        result = pthread_cond_timedwait(&changed, &lock, &soon);
    assert(ready || result == ETIMEDOUT);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
