// Each of two threads writes what the other one reads last. That the first one reads its own 6, and
// the second one nothing, needs an order of the writes that no single read asks for. (A counterexample
// to Theorem 3 of Kusano and Wang, ASE 2014.)
// options: --property assertion,deadlock
#include <assert.h>
#include <pthread.h>

static int x, y, r, s;

static void *one(void *unused)
{
    x = 6;
    y = 2;
    r = x;
    return unused;
}

static void *other(void *unused)
{
    x = 8;
    s = y;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, one, 0);
    pthread_create(&threads[1], 0, other, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(!(r == 6 && s == 0)); // expect: assertion
    assert(!(r == 8 && s == 2)); // expect: assertion
    assert(!(r == 8 && s == 0)); // expect: assertion
    return 0;
}
