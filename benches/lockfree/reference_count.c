// N threads give back a reference; the last one frees.
#include "threads.h"
#include <stdlib.h>

static atomic_int references = N;
static int *object;

static void *work(void *unused)
{
    int read = *object;
    assert(read == 7);
    if (atomic_fetch_sub(&references, 1) == 1)
        free(object);
    return unused;
}

int main(void)
{
    object = malloc(sizeof *object);
    *object = 7;
    run(N, work);
    return 0;
}
