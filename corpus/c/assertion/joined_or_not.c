// Whether the thread is joined before the assertion depends on what it writes itself. Three
// executions read the flag after it was cleared: the assertion then sees 0, 1 or 2.
// options: --property assertion,deadlock --visibility memory
// count(predicate)=4
#include <assert.h>
#include <pthread.h>

static int joinable = 1, x;

static void *work(void *unused)
{
    joinable = 0;
    x = 1;
    x = 2;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    if (joinable)
        pthread_join(thread, 0);
    assert(x != 1); // expect: assertion
    return 0;
}
