// A ring of two places between one producer and one consumer, who pass ROUNDS numbers.
#include "threads.h"

enum { SIZE = 2 };
static int ring[SIZE];
static atomic_uint written, read;

static void *work(void *number)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        if (number == NULL) {
            while (i - atomic_load(&read) == SIZE) {
            }
            ring[i % SIZE] = (int)i + 1;
            atomic_store(&written, i + 1);
        } else {
            while (atomic_load(&written) == i) {
            }
            assert(ring[i % SIZE] == (int)i + 1);
            atomic_store(&read, i + 1);
        }
    }
    return 0;
}

int main(void)
{
    run(2, work);
    return 0;
}
