// Two threads write elements of an array without a lock: a race if the two inputs are the same.
#include <pthread.h>

unsigned __VERIFIER_nondet_uint(void);

static int array[4];

static void *write(void *at)
{
    array[*(unsigned *)at] = 1; // expect: data-race
    return 0;
}

int main(void)
{
    unsigned i = __VERIFIER_nondet_uint(), j = __VERIFIER_nondet_uint();
    if (i >= 4 || j >= 4)
        return 0;
    pthread_t a, b;
    pthread_create(&a, 0, write, &i);
    pthread_create(&b, 0, write, &j);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
