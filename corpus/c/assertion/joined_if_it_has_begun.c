// Whether the thread is joined before the assertion depends on a flag that it sets itself. Where it
// is, the assertion holds.
// options: --property assertion,deadlock
// published: missed
#include <assert.h>
#include <pthread.h>

static int begun, x;

static void *work(void *unused)
{
    begun = 1;
    x = 1;
    x = 2;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    if (begun)
        pthread_join(thread, 0);
    assert(x != 1); // expect: assertion
    return 0;
}
