// The loop ends only in some orders of the two threads; nothing that the assertion says depends on
// the flag. Predicate dependence must not take the loop for one that ends.
// options: --property assertion,deadlock --visibility memory --max-events 1000
// count(predicate)=1
#include <assert.h>
#include <pthread.h>

static int flag;

static void *set(void *unused)
{
    flag = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, set, 0);
    while (!flag)
        ;
    assert(0); // expect: assertion
    return 0;
}
