// The store to `x` is seen to matter; that it depends on `y`, which another thread writes, is not.
// options: --property assertion,deadlock
// published: missed
#include <assert.h>
#include <pthread.h>

static int x, y;

static void *set_y(void *unused)
{
    y = 1;
    return unused;
}

static void *copy(void *unused)
{
    x = y;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, set_y, 0);
    pthread_create(&threads[1], 0, copy, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(x == 0); // expect: assertion
    return 0;
}
