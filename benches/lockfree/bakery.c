// Lamport's bakery for N threads.
#include "threads.h"

static atomic_bool choosing[N];
static atomic_int number[N];
static int inside;

static void *work(void *argument)
{
    int me = (int)(long)argument, most = 0;
    atomic_store(&choosing[me], true);
    for (int i = 0; i < N; i++) {
        int theirs = atomic_load(&number[i]);
        if (theirs > most)
            most = theirs;
    }
    int mine = most + 1;
    atomic_store(&number[me], mine);
    atomic_store(&choosing[me], false);
    for (int i = 0; i < N; i++) {
        if (i == me)
            continue;
        while (atomic_load(&choosing[i])) {
        }
        for (;;) {
            int theirs = atomic_load(&number[i]);
            if (!theirs || theirs > mine || (theirs == mine && i > me))
                break;
        }
    }
    inside++;
    atomic_store(&number[me], 0);
    return 0;
}

int main(void)
{
    run(N, work);
    assert(inside == N);
    return 0;
}
