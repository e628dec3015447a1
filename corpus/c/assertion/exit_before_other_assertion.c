// main returns at once; the other thread may have got to its assertion before.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int reached;

static void *fails(void *unused)
{
    reached = 1;
    assert(!reached); // expect: assertion
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, fails, 0);
    return 0;
}
