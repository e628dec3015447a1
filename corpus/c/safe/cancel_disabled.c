// With cancellation disabled a request stays pending; the thread ends as it wants to.
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t started;

static void *work(void *unused)
{
    int old;
    assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0 && old == PTHREAD_CANCEL_ENABLE);
    pthread_barrier_wait(&started);
    pthread_testcancel();
    return unused;
}

int main(void)
{
    int token;
    void *result;
    pthread_t thread;
    pthread_barrier_init(&started, 0, 2);
    pthread_create(&thread, 0, work, &token);
    pthread_barrier_wait(&started);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == &token);
    return 0;
}
