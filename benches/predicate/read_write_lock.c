// Readers and writers, four threads, with a lock made of a counter: writers exclude all others, readers only writers.
// What a reader computes of what it read matters to no assertion.
#include <assert.h>
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __VERIFIER_assume(int);

static int writing, reading, x, y, sum;

static void *write_twice(void *unused)
{
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(!writing && !reading);
    writing = 1;
    __VERIFIER_atomic_end();
    x = 3;
    __VERIFIER_atomic_begin();
    writing = 0;
    __VERIFIER_atomic_end();
    return unused;
}

static void *read_twice(void *unused)
{
    int seen;
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(!writing);
    reading++;
    __VERIFIER_atomic_end();
    seen = x;
    y = seen;
    sum += y;
    assert(x == seen);
    __VERIFIER_atomic_begin();
    reading--;
    __VERIFIER_atomic_end();
    return unused;
}

int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, i < 2 ? write_twice : read_twice, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    return 0;
}
