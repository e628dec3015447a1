// Long loops that have an end. One changes nothing but memory: its registers are the same in each
// round. One changes a global variable, one a local one, and one registers alone.
#include <assert.h>
#include <string.h>

#define MIX x ^= x << 7, x ^= x >> 9
#define MIX8 MIX, MIX, MIX, MIX, MIX, MIX, MIX, MIX
#define MIX64 MIX8, MIX8, MIX8, MIX8, MIX8, MIX8, MIX8, MIX8

static volatile int left = 200000;
static volatile unsigned seed = 1;
static char queue[801];

int main(void)
{
    queue[800] = 1;
    while (!queue[0]) {
        unsigned x = seed;
        MIX64;
        if (x == 0)
            return 1;
        memmove(queue, queue + 1, 800);
    }
    while (left)
        --left;
    volatile int own = 200000;
    while (own)
        --own;
    unsigned x = seed;
    while (x != 1210216161u) // the 300,000th number
        x = x * 1664525u + 1013904223u;
    assert(left); // expect: assertion
    return 0;
}
