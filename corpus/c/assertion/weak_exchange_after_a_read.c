// The same, seen by an assertion: the exchange succeeds after the other thread has read the old value.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int cell;
static int seen;

static void *reader(void *unused)
{
    seen = cell == 0 ? 1 : 2;
    return unused;
}

int main(void)
{
    pthread_t thread;
    int expected = 0;
    pthread_create(&thread, NULL, reader, NULL);
    int succeeded = atomic_compare_exchange_weak(&cell, &expected, 5);
    pthread_join(thread, NULL);
    assert(!(succeeded && seen == 1)); // expect: assertion
    return 0;
}
