// An input decides which element the block writes: both orders with the other thread's block.
#include <assert.h>
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
_Bool __VERIFIER_nondet_bool(void);

static int list[2], other, seen;

static void *work(void *unused)
{
    __VERIFIER_atomic_begin();
    seen = 1 + list[1];
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    other++;
    __VERIFIER_atomic_end();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    __VERIFIER_atomic_begin();
    list[__VERIFIER_nondet_bool()] = 1;
    __VERIFIER_atomic_end();
    pthread_join(thread, 0);
    if (list[0])
        assert(!seen); // expect: assertion
    else if (seen == 1)
        assert(!seen); // expect: assertion
    else
        assert(!seen); // expect: assertion
    return 0;
}
