// Which element main writes is an input. The thread writes one of them.
#include <pthread.h>

unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int);

static int elements[4];

static void *work(void *unused)
{
    elements[2] = 1; // expect: data-race
    return unused;
}

int main(void)
{
    pthread_t thread;
    unsigned at = __VERIFIER_nondet_uint();
    __VERIFIER_assume(at < 4);
    pthread_create(&thread, 0, work, 0);
    elements[at] = 1; // expect: data-race
    pthread_join(thread, 0);
    return 0;
}
