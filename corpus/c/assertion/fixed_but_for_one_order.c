// Nobody writes `first` and `second` while there are several threads, but for one order that few
// executions show. Then reads of them are actions like others.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int opened, closed, first, second;

static void *writer(void *arg)
{
    if (atomic_load(&opened) == 1 && atomic_load(&closed) == 0) {
        atomic_store(&first, 1);
        atomic_store(&second, 1);
    }
    return arg;
}

static void *reader(void *arg)
{
    int earlier = atomic_load(&first), later = atomic_load(&second);
    assert(earlier == later); // expect: assertion
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    atomic_store(&opened, 1);
    atomic_store(&closed, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
