// Which element a thread writes is an input. One of them is written by main, too.
// variant: -DIN_THREAD
// variant:
#include <pthread.h>

unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int);

static int elements[4];

static void *work(void *unused)
{
#ifdef IN_THREAD
    unsigned at = __VERIFIER_nondet_uint();
    __VERIFIER_assume(at < 4);
    elements[at] = 1; // expect: data-race
#else
    elements[2] = 1; // expect: data-race
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef IN_THREAD
    pthread_create(&thread, 0, work, 0);
    elements[2] = 1; // expect: data-race
#else
    unsigned at = __VERIFIER_nondet_uint();
    __VERIFIER_assume(at < 4);
    pthread_create(&thread, 0, work, 0);
    elements[at] = 1; // expect: data-race
#endif
    pthread_join(thread, 0);
    return 0;
}
