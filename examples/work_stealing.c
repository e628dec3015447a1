// A work-stealing deque on C11 atomics (Chase and Lev, SPAA 2005): its owner pushes and takes at the bottom, a thief
// steals at the top; they meet at the last element, where a compare-and-swap decides.
//
//     selvedge check examples/work_stealing.c
//
// What to see: true (verified), under sequential consistency, as the assumptions of the report say. Compile with
// -DNO_SWAP to let the owner take the last element without the compare-and-swap: the assertion fails, because an element
// is handed out twice.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SIZE = 4, EMPTY = -1 };

static atomic_int top, bottom, buffer[SIZE];
static atomic_int handed_out[2];

static void push(int element)
{
    int b = bottom;
    buffer[b % SIZE] = element;
    bottom = b + 1;
}

static int take(void)
{
    int b = bottom - 1;
    bottom = b;
    int t = top;
    if (t > b) {
        bottom = t;
        return EMPTY;
    }
    int element = buffer[b % SIZE];
    if (t == b) {
#ifndef NO_SWAP
        if (!atomic_compare_exchange_strong(&top, &t, t + 1))
            element = EMPTY;
#endif
        bottom = b + 1;
    }
    return element;
}

static int steal(void)
{
    int t = top;
    if (t >= bottom)
        return EMPTY;
    int element = buffer[t % SIZE];
    return atomic_compare_exchange_strong(&top, &t, t + 1) ? element : EMPTY;
}

static void count(int element)
{
    if (element != EMPTY)
        assert(atomic_fetch_add(&handed_out[element], 1) == 0);
}

static void *thief(void *unused)
{
    count(steal());
    count(steal());
    return unused;
}

int main(void)
{
    pthread_t thread;
    push(0);
    push(1);
    pthread_create(&thread, 0, thief, 0);
    count(take());
    count(take());
    pthread_join(thread, 0);
    return 0;
}
