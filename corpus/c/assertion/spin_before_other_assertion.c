// One thread spins on a plain flag that nobody sets; the assertion of the other one is found all the same.
// options: --unroll 100
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static volatile int never;
static atomic_int value;

static void *spin(void *unused)
{
    value++;
    while (!never)
        ;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, spin, 0);
    assert(value == 0); // expect: assertion
    pthread_join(thread, 0);
    return 0;
}
