// Where a thread's result is to be written depends on an input; the join orders what the thread did in any case.
#include <assert.h>
#include <pthread.h>
#include <threads.h>

unsigned __VERIFIER_nondet_uint(void);

static int shared, other_shared, codes[2];
static void *results[2];

static void *work(void *argument)
{
    shared = 1;
    return argument;
}

static int other_work(void *unused)
{
    other_shared = 1;
    return 9;
}

int main(void)
{
    pthread_t one;
    thrd_t two;
    pthread_create(&one, 0, work, &shared);
    unsigned at = __VERIFIER_nondet_uint() % 2;
    pthread_join(one, &results[at]);
    assert(results[at] == &shared && !results[!at] && shared == 1);
    shared = 2;
    thrd_create(&two, other_work, 0);
    thrd_join(two, &codes[at]);
    assert(codes[0] + codes[1] == 9);
    other_shared = 2;
    return 0;
}
