// N threads put four messages each into a hash table, with a compare-and-swap made of locks, one for each
// place (with ATOMIC: without locks). From 12 threads on they meet. The assertion is about the hash
// alone (the first figure of Kusano and Wang, ASE 2014).
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 12
#endif
#define SIZE 128
#define MAX 4

#ifdef ATOMIC
static atomic_int table[SIZE];

static int swap(int at, int from, int to)
{
    return atomic_compare_exchange_strong(&table[at], &from, to);
}
#else
static int table[SIZE];
static pthread_mutex_t locks[SIZE];

static int swap(int at, int from, int to)
{
    int done = 0;
    pthread_mutex_lock(&locks[at]);
    if (table[at] == from) {
        table[at] = to;
        done = 1;
    }
    pthread_mutex_unlock(&locks[at]);
    return done;
}
#endif

static void *fill(void *arg)
{
    int id = (int)(intptr_t)arg;
    for (int m = 0; m < MAX;) {
        int w = ++m * 11 + id;
        int h = w * 7 % SIZE;
        assert(h >= 0);
        while (swap(h, 0, w) == 0)
            h = (h + 1) % SIZE;
    }
    return 0;
}

int main(void)
{
    pthread_t threads[N];
#ifndef ATOMIC
    for (int i = 0; i < SIZE; i++)
        pthread_mutex_init(&locks[i], 0);
#endif
    for (intptr_t i = 0; i < N; i++)
        pthread_create(&threads[i], 0, fill, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
