// The thread that reads has written itself, and the other write comes last or not. No third thread
// reads, which is what Theorem 3 of Kusano and Wang (ASE 2014) asks for.
// options: --property assertion,deadlock
// published: missed --write-write-pruning on
#include <assert.h>
#include <pthread.h>

static int x;

static void *two(void *unused)
{
    x = 2;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, two, 0);
    x = 1;
    pthread_join(thread, 0);
    assert(x != 2); // expect: assertion
    return 0;
}
