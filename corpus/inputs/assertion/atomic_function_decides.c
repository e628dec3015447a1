// Atomic blocks that decide on an input, one of them the last thing that its thread does.
// variant: -DVALUE=3 -DCOUNT=1
// variant: -DVALUE=2 -DCOUNT=0
// variant: -DVALUE=1 -DCOUNT=1 verdict(verified)
#include <assert.h>
#include <pthread.h>

unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int value, count;

void __VERIFIER_atomic_step(void)
{
    if (value == 2)
        count++;
}

static void *counts(void *unused)
{
    __VERIFIER_atomic_step();
    return unused;
}

static void *increments(void *unused)
{
    __VERIFIER_atomic_begin();
    if (value < 3)
        value++;
    __VERIFIER_atomic_end();
    return unused;
}

int main(void)
{
    pthread_t a, b;
    value = __VERIFIER_nondet_uint() & 3;
    pthread_create(&a, 0, counts, 0);
    pthread_create(&b, 0, increments, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(!(value == VALUE && count == COUNT)); // expect: assertion
    return 0;
}
