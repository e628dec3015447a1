// As many threads as an input says, the last one first; each waits for the one created before it, whose handle its creator has
// stored before it created this one.
#include <pthread.h>
#include <stdlib.h>

unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int);

static unsigned length;
static pthread_t *threads;

static void *link(void *argument)
{
    unsigned long next = (unsigned long)argument + 1;
    if (next < length)
        pthread_join(threads[next], 0);
    return 0;
}

int main(void)
{
    length = __VERIFIER_nondet_uint();
    __VERIFIER_assume(length == 2 || length == 3);
    threads = malloc(length * sizeof *threads);
    for (unsigned long i = length; i-- > 0;)
        pthread_create(&threads[i], 0, link, (void *)i);
    pthread_join(threads[0], 0);
    free(threads);
    return 0;
}
