// Threads with numbers that are only compared: the writers are alike, the reader is not. A comparison
// that has another result for one of the writers tells them apart.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int value, last;

static void *work(void *number)
{
    long me = (long)number;
    if (me < 3) {
        atomic_fetch_add(&value, 1);
        if (me == 2)
            atomic_store(&last, atomic_load(&value));
    } else {
        atomic_load(&value);
    }
    return 0;
}

int main(void)
{
    pthread_t threads[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    assert(last != 1); // expect: assertion
    return 0;
}
