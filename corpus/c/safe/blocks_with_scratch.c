// A store buffer for `x`, by instrumentation. `flush` is scratch space of the blocks, and only
// blocks touch the buffer: neither tells states apart. With `flush` in memory, and with the past of
// all variables as a part of states, there are 30 times as many.
#include <assert.h>
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __VERIFIER_assume(int);
_Bool __VERIFIER_nondet_bool(void);

static int x, y, first = -1, second = -1, ended;
static int buffered;
static _Bool is_buffered, flush;

static void may_flush(void)
{
    __VERIFIER_atomic_begin();
    flush = __VERIFIER_nondet_bool();
    x = flush && is_buffered ? buffered : x;
    is_buffered = flush ? 0 : is_buffered;
    __VERIFIER_atomic_end();
}

static void *writes(void *unused)
{
    __VERIFIER_atomic_begin();
    buffered = 1;
    is_buffered = 1;
    __VERIFIER_atomic_end();
    may_flush();
    // A fence.
    __VERIFIER_atomic_begin();
    x = is_buffered ? buffered : x;
    is_buffered = 0;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    y = 1;
    ended++;
    __VERIFIER_atomic_end();
    return unused;
}

static void *reads(void *unused)
{
    __VERIFIER_atomic_begin();
    first = y;
    __VERIFIER_atomic_end();
    may_flush();
    __VERIFIER_atomic_begin();
    second = x;
    ended++;
    __VERIFIER_atomic_end();
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writes, NULL);
    pthread_create(&threads[1], NULL, reads, NULL);
    __VERIFIER_atomic_begin();
    _Bool all = ended == 2;
    __VERIFIER_atomic_end();
    __VERIFIER_assume(all);
    __VERIFIER_atomic_begin();
    _Bool wrong = first == 1 && second == 0;
    __VERIFIER_atomic_end();
    assert(!wrong);
    return 0;
}
