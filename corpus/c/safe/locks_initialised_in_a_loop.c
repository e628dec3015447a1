// An array of locks that main initialises. Which lock a thread takes depends on what it finds under the one before; the
// assertion is about an index alone.
// options: --property assertion,deadlock
// count(predicate)=1
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#define SIZE 4

static int table[SIZE];
static pthread_mutex_t locks[SIZE];

static int put(int at, int value)
{
    int done = 0;
    pthread_mutex_lock(&locks[at]);
    if (table[at] == 0) {
        table[at] = value;
        done = 1;
    }
    pthread_mutex_unlock(&locks[at]);
    return done;
}

static void *fill(void *arg)
{
    int at = 1 + 5 * (int)(intptr_t)arg;
    at %= SIZE;
    assert(at >= 0);
    while (!put(at, 1 + (int)(intptr_t)arg))
        at = (at + 1) % SIZE;
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < SIZE; i++)
        pthread_mutex_init(&locks[i], 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, fill, (void *)(intptr_t)(4 * i));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    for (int i = 0; i < SIZE; i++)
        pthread_mutex_destroy(&locks[i]);
    return 0;
}
