// In some orders the process ends before the assertion, which says nothing about `x`, in a function
// that comes back in the others.
// options: --property assertion,deadlock
// published: missed
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int x = 1, y;

static void *write_both(void *unused)
{
    x = 0;
    y = 1;
    return unused;
}

static void perhaps_exit(void)
{
    if (!x)
        exit(0);
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, write_both, 0);
    perhaps_exit();
    pthread_join(thread, 0);
    assert(y == 0); // expect: assertion
    return 0;
}
