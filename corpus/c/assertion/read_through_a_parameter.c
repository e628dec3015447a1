// A shared number comes to the assertion as an argument, and goes back as a result.
// options: --property assertion,deadlock --visibility memory
// count(predicate)=2
#include <assert.h>
#include <pthread.h>

static int x;

static int twice(int n)
{
    return n + n;
}

static void *work(void *unused)
{
    x = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    int y = twice(x);
    assert(y == 0); // expect: assertion
    return 0;
}
