// Only main uses `first` and `second`, but for one order of the threads that few executions show:
// the worker looks at them if it comes between the stores to `opened` and to `closed`.
// Then accesses to them are actions like others.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int opened, closed, first, second;

static void *worker(void *arg)
{
    if (atomic_load(&opened) == 1 && atomic_load(&closed) == 0) {
        int earlier = atomic_load(&first), later = atomic_load(&second);
        assert(earlier == later); // expect: assertion
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    atomic_store(&opened, 1);
    atomic_store(&first, 1);
    atomic_store(&second, 1);
    atomic_store(&closed, 1);
    pthread_join(thread, NULL);
    return 0;
}
