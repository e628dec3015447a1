// The handle of a new thread goes where an input says: what the creator did before is ordered before the thread all the same.
#include <pthread.h>

unsigned __VERIFIER_nondet_uint(void);

static int given;
static pthread_t handles[2];

static void *reader(void *unused)
{
    return given == 5 ? unused : 0;
}

int main(void)
{
    given = 5;
    pthread_create(&handles[__VERIFIER_nondet_uint() % 2], 0, reader, 0);
    return 0;
}
