// Inputs are written to memory byte by byte, while another thread reads it twice. That is not explored.
// options: --property assertion
// unknown: inputs for memory that threads may share
#include <assert.h>
#include <pthread.h>

void __VERIFIER_nondet_memory(void *, unsigned long);

static unsigned char x;

static void *work(void *unused)
{
    __VERIFIER_nondet_memory(&x, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    unsigned char first = x, second = x;
    assert(first == second);
    pthread_join(thread, 0);
    return 0;
}
