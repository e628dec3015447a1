// The side of a branch that reads what another thread writes outside of blocks is never taken. So
// there is no race, although both sides give the same value.
#include <assert.h>
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
_Bool __VERIFIER_nondet_bool(void);

static int only = 1, other;

static void *work(void *unused)
{
    other = 0;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    _Bool input = __VERIFIER_nondet_bool();
    __VERIFIER_atomic_begin();
    only = input ? (input ? only : only + other) : only;
    __VERIFIER_atomic_end();
    pthread_join(thread, 0);
    assert(only == 1);
    return 0;
}
