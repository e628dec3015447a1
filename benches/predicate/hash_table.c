// A hash table without locks: keys are claimed and values exchanged with compare-and-swap. Two threads put CAS values
// in all, on the same keys, and count hits and collisions, which matter to no assertion.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef CAS
#define CAS 4
#endif
#define SIZE 16
#define EMPTY 0

static struct {
    atomic_int key, value;
} table[SIZE];
static atomic_int hits, collisions, size;

static unsigned hash(int key)
{
    unsigned h = (unsigned)key * 2654435761u;
    return h >> 28;
}

// The place of a key, which is claimed if nobody has it.
static int find(int key)
{
    unsigned at = hash(key) % SIZE;
    for (int tries = 0; tries < SIZE; tries++, at = (at + 1) % SIZE) {
        int there = atomic_load(&table[at].key);
        if (there == EMPTY && atomic_compare_exchange_strong(&table[at].key, &there, key)) {
            atomic_fetch_add(&size, 1);
            return (int)at;
        }
        if (there == key) {
            atomic_fetch_add(&hits, 1);
            return (int)at;
        }
        atomic_fetch_add(&collisions, 1);
    }
    return -1;
}

// Puts a value if nobody has put one; the value that is there.
static int put(int at, int value)
{
    int old = EMPTY;
    if (atomic_compare_exchange_strong(&table[at].value, &old, value))
        return value;
    return old;
}

static void *work(void *arg)
{
    int id = 1 + (int)(intptr_t)arg;
    int operations = (CAS + (id == 1)) / 2;
    for (int i = 0; i < operations; i++) {
        int key = i + 1, at = find(key);
        assert(at >= 0);
        int there = put(at, 10 * key + id);
        assert(there == 10 * key + 1 || there == 10 * key + 2);
    }
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    for (int i = 0; i < CAS / 2; i++)
        assert(atomic_load(&table[find(i + 1)].value) != EMPTY);
    return 0;
}
