// A thread that is stopped within an atomic block never leaves it: nobody sees what it wrote there.
// options: --property unreach-call
// variant: -DASSUMES
// variant: -DABORTS
// variant: -DEXITS
// variant: -DEXITS_AT_ONCE
// variant: -DCALLS
// variant: -DINPUT
// variant: -DATOMIC
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __VERIFIER_assume(int);
int __VERIFIER_nondet_int(void);
void reach_error(void);

#ifdef ATOMIC
static atomic_int halfway;
#else
static int halfway;
#endif
static int stops;

static void __VERIFIER_atomic_work(void)
{
    halfway = 1;
    __VERIFIER_assume(!stops);
    halfway = 0;
}

static void *work(void *unused)
{
#ifdef CALLS
    __VERIFIER_atomic_work();
#else
    __VERIFIER_atomic_begin();
    halfway = 1;
#if defined(ASSUMES) || defined(ATOMIC)
    __VERIFIER_assume(!stops);
#elif defined(ABORTS)
    if (stops)
        abort();
#elif defined(EXITS)
    if (stops)
        exit(0);
#elif defined(EXITS_AT_ONCE)
    if (stops)
        _Exit(0);
#else
    int input = __VERIFIER_nondet_int();
    __VERIFIER_assume(input == 5);
    halfway = input - 5;
#endif
    halfway = 0;
    __VERIFIER_atomic_end();
#endif
    return unused;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    __VERIFIER_atomic_begin();
    stops = 1;
    __VERIFIER_atomic_end();
#ifdef ATOMIC
    int seen = halfway;
#else
    __VERIFIER_atomic_begin();
    int seen = halfway;
    __VERIFIER_atomic_end();
#endif
    if (seen)
        reach_error();
    pthread_join(worker, NULL);
    return 0;
}
