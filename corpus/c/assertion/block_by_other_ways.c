// Blocks come to their variable by a union, by bytes that are copied, by thread-specific data, by a
// table of functions, and by what a thread is given: each of them in both orders with the other
// thread's block.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int by_union, by_bytes, by_key, by_table, by_argument;
static union {
    int *pointer;
    uintptr_t number;
} u;
static unsigned char bytes[sizeof(int *)];
static pthread_key_t key;
static int read_table(void) { return by_table; }
static int (*const table[])(void) = { read_table };

static void *work(void *argument)
{
    __VERIFIER_atomic_begin();
    by_union = 1;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    by_bytes = 1;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    by_key = 1;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    by_table = 1;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    *(int *)argument = 1;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void)
{
    pthread_t thread;
    int *p = &by_bytes, *q;
    u.pointer = &by_union;
    memcpy(bytes, &p, sizeof p);
    pthread_key_create(&key, 0);
    pthread_setspecific(key, &by_key);
    pthread_create(&thread, 0, work, &by_argument);
    int *mine = pthread_getspecific(key);
    int one, two, three, four, five;
    __VERIFIER_atomic_begin();
    one = *(int *)u.number;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    memcpy(&q, bytes, sizeof q);
    two = *q;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    three = *mine;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    four = table[0]();
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    five = by_argument;
    __VERIFIER_atomic_end();
    pthread_join(thread, 0);
    if (one && !two && !three && !four && !five)
        assert(0); // expect: assertion
    if (one && two && !three && !four && !five)
        assert(0); // expect: assertion
    if (one && two && three && !four && !five)
        assert(0); // expect: assertion
    if (one && two && three && four && !five)
        assert(0); // expect: assertion
    if (one && two && three && four && five)
        assert(0); // expect: assertion
    if (!one && !two && !three && !four && !five)
        assert(0); // expect: assertion
    if (!one && two && !three && four && five)
        assert(0); // expect: assertion
    return 0;
}
