// The threads do the same, but main looks at what they have done between the two joins.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int first, done;

static void *work(void *unused)
{
    atomic_fetch_add(&first, 1);
    atomic_fetch_add(&done, 1);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, 0);
    pthread_join(two, 0);
    assert(atomic_load(&first) == 2); // expect: assertion
    pthread_join(one, 0);
    return 0;
}
