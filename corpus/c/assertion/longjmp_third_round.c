// A loop that only longjmp closes: temporaries of a later round must not take the place of what an earlier part needs again.
#include <assert.h>
#include <setjmp.h>
#include <stdlib.h>

static jmp_buf again;

static void back(int rounds)
{
    if (rounds)
        longjmp(again, rounds);
}

int main(void)
{
    volatile int rounds = 0;
    int base = 40, result = 0;
    result = setjmp(again);
    rounds++;
    assert(base + result != 42); // expect: assertion
    int *scratch = malloc(3 * sizeof *scratch);
    scratch[rounds - 1] = rounds;
    int kept = scratch[rounds - 1];
    free(scratch);
    back(kept);
    return 0;
}
