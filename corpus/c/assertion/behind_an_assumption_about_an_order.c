// Only executions in which `x` is read before the thread clears it go on to the assertion.
// options: --property assertion,deadlock
// published: missed
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);

static int x = 1, y;

static void *clear(void *unused)
{
    x = 0;
    y = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, clear, 0);
    __VERIFIER_assume(x);
    pthread_join(thread, 0);
    assert(y == 0); // expect: assertion
    return 0;
}
