// A compare-exchange on an input is completed by a data choice, which is what other accesses depend on. In a program with
// atomic blocks, `unfold` asks the machine what else a thread could have done, and did not ask after such a choice.
#include <assert.h>
#include <pthread.h>

unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);

static int cell;

static void block(void)
{
    __VERIFIER_atomic_begin();
    __VERIFIER_atomic_end();
}

void (*volatile keep)(void) = block;

static int load(void) { return __atomic_load_n(&cell, __ATOMIC_SEQ_CST); }
static void store(int value) { __atomic_store_n(&cell, value, __ATOMIC_SEQ_CST); }

static int exchange(int expected, int value)
{
    __atomic_compare_exchange_n(&cell, &expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}

static void *other(void *unused)
{
    exchange(0, 0);
    store(exchange(1, 2));
    return unused;
}

int main(void)
{
    pthread_t thread;
    int input = __VERIFIER_nondet_uint() & 3;
    pthread_create(&thread, NULL, other, NULL);
    store((load() + input) & 3);
    __atomic_exchange_n(&cell, 0, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    assert(load() != VALUE); // expect: assertion
    return 0;
}
// variant: -DVALUE=0
// variant: -DVALUE=1
// variant: -DVALUE=2
// variant: -DVALUE=3
