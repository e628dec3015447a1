// The completion of thrd_create synchronises with the start of the new thread, which so may look at its handle.
#include <assert.h>
#include <threads.h>

static thrd_t worker;

static int run(void *unused)
{
    return thrd_equal(worker, thrd_current()) ? 0 : 1;
}

int main(void)
{
    int result;
    thrd_create(&worker, run, 0);
    thrd_join(worker, &result);
    assert(result == 0);
    return 0;
}
