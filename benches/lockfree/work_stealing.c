// The deque of Chase and Lev: the owner pushes and takes N numbers, THIEVES steal once each.
#include "threads.h"

static atomic_int top, bottom, items[N];
static int taken, stolen[THIEVES];

static void *work(void *number)
{
    long me = (long)number;
    if (me == THIEVES) {
        for (int i = 0; i < N; i++) {
            atomic_store(&items[i], i + 1);
            atomic_store(&bottom, i + 1);
        }
        for (int i = 0; i < N; i++) {
            int b = atomic_load(&bottom) - 1;
            atomic_store(&bottom, b);
            int t = atomic_load(&top);
            if (t > b) {
                atomic_store(&bottom, b + 1);
                break;
            }
            if (t == b) {
                taken += atomic_compare_exchange_strong(&top, &t, t + 1);
                atomic_store(&bottom, b + 1);
                break;
            }
            taken++;
        }
    } else {
        int t = atomic_load(&top);
        if (t < atomic_load(&bottom)) {
            int item = atomic_load(&items[t]);
            if (atomic_compare_exchange_strong(&top, &t, t + 1))
                stolen[me] = item;
        }
    }
    return 0;
}

int main(void)
{
    run(THIEVES + 1, work);
    int all = taken;
    for (int i = 0; i < THIEVES; i++)
        all += stolen[i] != 0;
    assert(all <= N);
    return 0;
}
