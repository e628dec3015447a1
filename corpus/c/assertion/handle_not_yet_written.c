// The same where the race itself is not asked for: the new thread may see what was there before.
// options: --property assertion
// variant: --thread-handles late
// variant: --thread-handles early verdict(verified)
#include <assert.h>
#include <pthread.h>

static pthread_t worker;

static void *run(void *unused)
{
    assert(pthread_equal(worker, pthread_self())); // expect: assertion
    return unused;
}

int main(void)
{
    pthread_create(&worker, 0, run, 0);
    pthread_join(worker, 0);
    return 0;
}
