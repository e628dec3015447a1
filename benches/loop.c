// A concrete loop over memory, in one thread: how many instructions a second the machine executes.
#include <sched.h>

static unsigned cells[1024];

int main(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < 1024; i++)
            cells[i] = cells[i] * 3 + i;
        sched_yield();
    }
    return cells[5] & 0;
}
