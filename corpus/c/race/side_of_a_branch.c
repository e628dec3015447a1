// Both sides of a branch on an input give the same value, and one of them reads what another
// thread writes outside of blocks. The execution that takes that side has the race.
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
_Bool __VERIFIER_nondet_bool(void);

static int only = 1, other;

static void *work(void *unused)
{
    other = 0; // expect: data-race
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    _Bool input = __VERIFIER_nondet_bool();
    __VERIFIER_atomic_begin();
    only = input ? only + other : only;
    __VERIFIER_atomic_end();
    return pthread_join(thread, 0);
}
