// What one step makes and fills (a block of memory, a local variable), and a flag that is atomic first and plain then, are accesses like
// any others: nothing orders them before what the reader does.
// variant: -DWHAT=1
// variant: -DWHAT=2
// variant: -DWHAT=3
// variant: -DWHAT=4
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) shared;
static int number;

static void *reader(void *unused)
{
    int *seen = atomic_load_explicit(&shared, memory_order_relaxed);
    if (seen)
        *seen = 3; // expect: data-race
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
#if WHAT == 1
    int *made = malloc(sizeof *made);
    *made = 1;
#elif WHAT == 2
    int *made = calloc(1, sizeof *made);
#elif WHAT == 3
    int local = 2, *made = &local;
#elif WHAT == 4
    int *made = &number;
    __atomic_store_n(&number, 4, __ATOMIC_RELAXED);
    number = 5;
#endif
    atomic_store_explicit(&shared, made, memory_order_relaxed);
    pthread_join(thread, 0);
    return 0;
}
