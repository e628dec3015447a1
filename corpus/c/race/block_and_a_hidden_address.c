// Only blocks seem to touch the variable, because the address of the other access went through
// branches alone. The machine has to see that access, or the race would be in no execution.
// variant: -DWRITES
// variant: -DREADS
// variant: -DATOMIC
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int only;
static uintptr_t hidden;

static uintptr_t scrambled(int *of)
{
    uintptr_t from = (uintptr_t)of, to = 0;
    for (int i = 0; i < 48; i++)
        if (from >> i & 1)
            to |= (uintptr_t)1 << i;
    return to;
}

static void *work(void *unused)
{
    __VERIFIER_atomic_begin();
    only++; // expect: data-race
    __VERIFIER_atomic_end();
    return unused;
}

int main(void)
{
    pthread_t worker;
    hidden = scrambled(&only);
    pthread_create(&worker, NULL, work, NULL);
#if defined(WRITES)
    *(int *)hidden = 2;
#elif defined(READS)
    int seen = *(int *)hidden;
#else
    int seen = __atomic_load_n((int *)hidden, __ATOMIC_RELAXED);
#endif
    pthread_join(worker, NULL);
#ifndef WRITES
    return seen > 1;
#endif
}
