// A wait times out, but before it gets the mutex back the predicate becomes true: ETIMEDOUT does not mean "not ready".
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
    pthread_t thread;
    pthread_create(&thread, 0, producer, 0);
    pthread_mutex_lock(&lock);
    while (!ready)
        if (pthread_cond_timedwait(&changed, &lock, &soon) == ETIMEDOUT) {
            assert(!ready); // expect: assertion
            break;
        }
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
