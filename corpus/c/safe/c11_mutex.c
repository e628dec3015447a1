// <threads.h>: mtx_t in its three kinds, thrd_create and thrd_join with a result.
#include <assert.h>
#include <threads.h>

static mtx_t plain, recursive, timed;
static int counter;

static int work(void *amount)
{
    struct timespec soon = {0, 1};
    mtx_lock(&plain);
    mtx_lock(&recursive);
    mtx_lock(&recursive);
    counter += *(int *)amount;
    mtx_unlock(&recursive);
    mtx_unlock(&recursive);
    mtx_unlock(&plain);
    int result = mtx_timedlock(&timed, &soon);
    assert(result == thrd_success || result == thrd_timedout);
    if (result == thrd_success)
        mtx_unlock(&timed);
    return *(int *)amount;
}

int main(void)
{
    static int one = 1, two = 2;
    int result;
    thrd_t thread;
    mtx_init(&plain, mtx_plain);
    mtx_init(&recursive, mtx_plain | mtx_recursive);
    mtx_init(&timed, mtx_timed);
    assert(thrd_create(&thread, work, &one) == thrd_success);
    work(&two);
    assert(thrd_join(thread, &result) == thrd_success && result == 1);
    assert(counter == 3);
    assert(mtx_trylock(&plain) == thrd_success && mtx_trylock(&plain) == thrd_busy);
    mtx_unlock(&plain);
    mtx_destroy(&plain);
    return 0;
}
