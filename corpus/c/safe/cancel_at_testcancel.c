// A deferred request is acted on at pthread_testcancel, or comes too late: both are right here.
#include <assert.h>
#include <pthread.h>

static int before, after;

static void *work(void *unused)
{
    before = 1;
    pthread_testcancel();
    after = 1;
    return unused;
}

int main(void)
{
    void *result;
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(before == 1);
    assert(after == (result != PTHREAD_CANCELED));
    return 0;
}
