// A branch on an input within a block decides something only where its sides differ: the buffer is
// full after the first round. Then both outcomes have to be explored.
// variant: -DNESTED
#include <assert.h>
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
_Bool __VERIFIER_nondet_bool(void);

static int value, buffer;
static _Bool used;

static void *work(void *unused)
{
    for (int round = 0; round < 2; round++) {
        __VERIFIER_atomic_begin();
        _Bool flush = __VERIFIER_nondet_bool(), late = __VERIFIER_nondet_bool();
#ifdef NESTED
        value = flush ? (late ? value : (used ? buffer : value)) : value;
#else
        value = flush && used ? buffer : value;
#endif
        buffer = value + 1;
        used = 1;
        __VERIFIER_atomic_end();
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    assert(value != 1); // expect: assertion
    return 0;
}
