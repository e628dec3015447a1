// A driver is stopped while it works: whoever begins counts itself in before it looks whether the
// driver stops, so that the driver is never stopped beneath it.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, event = PTHREAD_MUTEX_INITIALIZER;
static int pending = 1, stopping, drained, stopped;

static int begin(void)
{
    int may = 0;
    pthread_mutex_lock(&lock);
    if (!stopping) {
        pending++;
        may = 1;
    }
    pthread_mutex_unlock(&lock);
    return may;
}

static void end(void)
{
    int left;
    pthread_mutex_lock(&lock);
    left = --pending;
    pthread_mutex_unlock(&lock);
    if (left == 0) {
        pthread_mutex_lock(&event);
        drained = 1;
        pthread_mutex_unlock(&event);
    }
}

static void *work(void *unused)
{
    if (begin()) {
        assert(!stopped);
        end();
    }
    return unused;
}

static void *stop(void *unused)
{
    int done;
    pthread_mutex_lock(&lock);
    stopping = 1;
    pthread_mutex_unlock(&lock);
    end();
    pthread_mutex_lock(&event);
    done = drained;
    pthread_mutex_unlock(&event);
    if (done)
        stopped = 1;
    return unused;
}

int main(void)
{
    pthread_t worker, stopper;
    pthread_create(&worker, 0, work, 0);
    pthread_create(&stopper, 0, stop, 0);
    pthread_join(worker, 0);
    pthread_join(stopper, 0);
    return 0;
}
