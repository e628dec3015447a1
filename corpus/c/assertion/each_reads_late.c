// That the first thread reads its own 6, and the second one nothing, needs an order of the writes to
// `x` that no read asks for: Theorem 3 of Kusano and Wang (ASE 2014) has no third thread here. The
// assertions of the threads hold; they say only that what is read matters.
// options: --property assertion,deadlock
// published: missed --write-write-pruning on
#include <assert.h>
#include <pthread.h>

static int x, y, r, s;

static void *one(void *unused)
{
    x = 6;
    y = 2;
    r = x;
    assert(r != 7);
    return unused;
}

static void *other(void *unused)
{
    x = 8;
    s = y;
    assert(s != 7);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, other, 0);
    pthread_create(&threads[1], 0, one, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(!(r == 6 && s == 0)); // expect: assertion
    return 0;
}
