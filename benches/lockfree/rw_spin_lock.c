// A reader-writer spin lock in one word: N writers and N readers.
#include "threads.h"

enum { WRITER = 1 << 16 };
static atomic_int lock;
static int value;

static void *work(void *number)
{
    if ((long)number < N) {
        int expected = 0;
        while (!atomic_compare_exchange_strong(&lock, &expected, WRITER))
            expected = 0;
        value++;
        atomic_fetch_sub(&lock, WRITER);
    } else {
        int seen = atomic_load(&lock);
        for (;;) {
            while (seen >= WRITER)
                seen = atomic_load(&lock);
            if (atomic_compare_exchange_strong(&lock, &seen, seen + 1))
                break;
        }
        int read = value;
        assert(read >= 0 && read <= N);
        atomic_fetch_sub(&lock, 1);
    }
    return 0;
}

int main(void)
{
    run(2 * N, work);
    assert(value == N);
    return 0;
}
