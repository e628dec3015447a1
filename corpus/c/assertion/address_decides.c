// The threads do the same, and compare the addresses of their local variables.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic(char *) first;

static void *work(void *unused)
{
    char here = 0;
    char *other = 0;
    if (!atomic_compare_exchange_strong(&first, &other, &here))
        assert(other < &here); // expect: assertion
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}
