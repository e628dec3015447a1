// A timed wait that ended before its time is taken for a signal.
// variant: --spurious-wakeups on
// variant: --spurious-wakeups off verdict(verified)
#include <assert.h>
#include <pthread.h>
#include <time.h>

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
    pthread_t thread;
    struct timespec soon = {0, 1};
    pthread_create(&thread, 0, producer, 0);
    pthread_mutex_lock(&lock);
    if (!ready && pthread_cond_timedwait(&changed, &lock, &soon) == 0)
        assert(ready); // expect: assertion
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
