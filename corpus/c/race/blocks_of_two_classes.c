// The blocks of `a` order the writes of `ordered`; those of `b` do not order them with those of `a`:
// what is written between blocks of different variables races.
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int a, b, ordered, shared;

static void *work(void *unused)
{
    ordered = 1;
    shared = 1; // expect: data-race
    __VERIFIER_atomic_begin();
    a = 1;
    __VERIFIER_atomic_end();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    __VERIFIER_atomic_begin();
    b = 1;
    __VERIFIER_atomic_end();
    shared = 2; // expect: data-race
    __VERIFIER_atomic_begin();
    int seen = a;
    __VERIFIER_atomic_end();
    if (seen)
        ordered = 2;
    pthread_join(thread, 0);
    return 0;
}
