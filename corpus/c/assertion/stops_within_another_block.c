// A thread that is stopped within an atomic block stops nobody who does not depend on the block: he
// might have come before it. And others may come before it in any case.
// options: --property unreach-call
// variant: -DINDEPENDENT
// variant: -DBEFORE
#include <pthread.h>
#include <stdlib.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void reach_error(void);

static int mine, other;

static void *work(void *unused)
{
    __VERIFIER_atomic_begin();
    mine++;
#ifdef BEFORE
    if (mine == 1)
        abort();
#else
    abort();
#endif
    __VERIFIER_atomic_end();
    return unused;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    __VERIFIER_atomic_begin();
#ifdef BEFORE
    mine = 5;
#else
    other = 5;
#endif
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    int seen = mine + other;
    __VERIFIER_atomic_end();
#ifdef BEFORE
    if (seen == 6)
#else
    if (other == 5)
#endif
        reach_error(); // expect: assertion.reach-error
    pthread_join(worker, NULL);
    return seen;
}
