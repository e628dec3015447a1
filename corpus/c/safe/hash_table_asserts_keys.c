// Kusano and Wang (ASE 2014), Fig. 1: threads enter numbers in a table with compare-and-exchange.
// What the assertion says depends on no other thread, so one execution shows it.
// options: without(stateful) --property assertion,deadlock
// count(dpor,memory)=4096 count(predicate)=1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 15, SIZE = 128, MAX = 4 };

static atomic_int table[SIZE];

static void *enter(void *arg)
{
    int id = (int)(long)arg, m = 0, w, h;
    while (1) {
        if (m < MAX)
            w = ++m * 11 + id;
        else
            pthread_exit(0);
        h = w * 7 % SIZE;
        if (h < 0)
            assert(0);
        int none = 0;
        while (!atomic_compare_exchange_strong(&table[h], &none, w)) {
            none = 0;
            h = (h + 1) % SIZE;
        }
    }
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, enter, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
