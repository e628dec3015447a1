// Atomic blocks order what stands around them, also where they touch different memory: the writes
// of `shared` race only if neither thread is through with its blocks before the other begins.
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int mine, other, shared;

static void *work(void *unused)
{
    __VERIFIER_atomic_begin();
    other++;
    __VERIFIER_atomic_end();
    shared = 1; // expect: data-race
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
    mine++;
    __VERIFIER_atomic_end();
    shared = 2; // expect: data-race
    __VERIFIER_atomic_begin();
    mine++;
    __VERIFIER_atomic_end();
    pthread_join(thread, 0);
    return 0;
}
