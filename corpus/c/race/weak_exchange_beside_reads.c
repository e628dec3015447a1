// A weak compare-exchange that fails without cause only reads, so no read beside it was a cause of it. But it could also
// have succeeded after the plain read: a race that `unfold` once lost, and said that the program is correct.
#include <pthread.h>

static int cell;

static void *reader(void *unused)
{
    int seen = __atomic_load_n(&cell, __ATOMIC_ACQUIRE);
    seen = cell; // expect: data-race
    (void)seen;
    return unused;
}

int main(void)
{
    pthread_t thread;
    int expected = 0;
    pthread_create(&thread, NULL, reader, NULL);
    __atomic_compare_exchange_n(&cell, &expected, 0, 1, __ATOMIC_RELEASE, __ATOMIC_SEQ_CST); // expect: data-race
    pthread_join(thread, NULL);
    return 0;
}
