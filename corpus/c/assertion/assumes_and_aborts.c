// Not the assumption that the name promises: its body counts, is empty, is the opposite, or lets
// one value pass that is not zero.
// variant: -DCOUNTS
// variant: -DIS_EMPTY
// variant: -DIS_OPPOSITE
// variant: -DCOMPARES
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int count;

void assume_abort_if_not(int cond)
{
#if defined(COUNTS)
    count++;
    if (!cond)
        abort();
#elif defined(IS_EMPTY)
    (void)cond;
#elif defined(IS_OPPOSITE)
    if (cond)
        abort();
#else
    if (cond == 2)
        abort();
#endif
}

int main(void)
{
#ifdef COUNTS
    assume_abort_if_not(1);
    int wrong = count;
#else
    assume_abort_if_not(0);
    int wrong = 1;
#endif
    assert(!wrong); // expect: assertion
    return 0;
}
