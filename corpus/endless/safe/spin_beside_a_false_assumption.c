// Where the assumption does not hold, its thread never sets the flag; such executions do not count.
#include <pthread.h>
#include <stdatomic.h>

extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);

static atomic_int flag;

static void *set(void *unused)
{
    __VERIFIER_assume(__VERIFIER_nondet_int() == 3);
    atomic_store(&flag, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    while (!atomic_load(&flag))
        ;
    pthread_join(thread, NULL);
    return 0;
}
