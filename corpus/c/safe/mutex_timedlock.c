// A timed lock gives up only while the mutex is held; on a free mutex it succeeds.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter, failures;

static void *work(void *unused)
{
    struct timespec soon = {0, 1};
    if (pthread_mutex_timedlock(&lock, &soon) == 0) {
        counter++;
        pthread_mutex_unlock(&lock);
    } else {
        __atomic_fetch_add(&failures, 1, __ATOMIC_SEQ_CST);
    }
    return unused;
}

int main(void)
{
    struct timespec soon = {0, 1};
    assert(pthread_mutex_timedlock(&lock, &soon) == 0);
    pthread_mutex_unlock(&lock);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    assert(counter + failures == 2 && counter >= 1);
    return 0;
}
