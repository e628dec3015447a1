// The write and the assertion never happen in parallel; the value flows all the same.
// options: --property assertion,deadlock --visibility memory
// count(predicate)=2
// published: found
#include <assert.h>
#include <pthread.h>

static int x;

static void *write_two(void *unused)
{
    x = 2;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, write_two, 0);
    x = 5;
    pthread_join(thread, 0);
    assert(x == 2); // expect: assertion
    return 0;
}
