// A thread asks for an input in each round and forgets it. Rounds differ in nothing but the inputs' names.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

_Bool __VERIFIER_nondet_bool(void);

static atomic_int level;

static void *thread(void *unused)
{
    while (__VERIFIER_nondet_bool())
        level = 0;
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, thread, 0);
    assert(level == 0);
    return 0;
}
