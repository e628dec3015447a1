// A thread is joined by one that did not create it.
#include <assert.h>
#include <pthread.h>

static pthread_t worker;
static int done;

static void *work(void *unused)
{
    done = 1;
    return unused;
}

static void *joiner(void *unused)
{
    pthread_join(worker, 0);
    assert(done == 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&worker, 0, work, 0);
    pthread_create(&thread, 0, joiner, 0);
    pthread_join(thread, 0);
    assert(done == 1);
    return 0;
}
