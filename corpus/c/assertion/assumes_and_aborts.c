// Not an assumption only: it also counts.
#include <pthread.h>
#include <stdlib.h>

static int count;

void assume_abort_if_not(int cond)
{
    count++;
    if (!cond)
        abort(); // expect: assertion.abort
}

int main(void)
{
    assume_abort_if_not(1);
    assume_abort_if_not(count == 2);
    assume_abort_if_not(count == 2);
    return 0;
}
