// Whether the store to `a` is executed depends on an order that no execution shows to matter: where
// it is not executed, nothing but the assertion accesses `a`.
// options: --property assertion,deadlock
// published: missed
#include <assert.h>
#include <pthread.h>

static int a, y;

static void *set_y(void *unused)
{
    y = 1;
    return unused;
}

static void *copy(void *unused)
{
    if (y)
        a = 1;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, set_y, 0);
    pthread_create(&threads[1], 0, copy, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(a == 0); // expect: assertion
    return 0;
}
