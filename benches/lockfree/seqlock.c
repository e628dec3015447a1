// A sequence lock: WRITERS threads write both halves, READERS retry until they saw one version.
#include "threads.h"

static atomic_uint version;
static atomic_int low, high;

static void *work(void *number)
{
    if ((long)number < WRITERS) {
        unsigned seen = atomic_load(&version);
        while ((seen & 1) || !atomic_compare_exchange_strong(&version, &seen, seen + 1))
            seen = atomic_load(&version);
        int value = atomic_load(&low) + 1;
        atomic_store(&low, value);
        atomic_store(&high, value);
        atomic_store(&version, seen + 2);
    } else {
        unsigned before, after;
        int first, second;
        do {
            while ((before = atomic_load(&version)) & 1) {
            }
            first = atomic_load(&low);
            second = atomic_load(&high);
            after = atomic_load(&version);
        } while (before != after);
        assert(first == second);
    }
    return 0;
}

int main(void)
{
    run(WRITERS + READERS, work);
    assert(low == WRITERS && high == WRITERS);
    return 0;
}
