// Without time-outs, a wait ends if its deadline is refused, which the input decides.
// options: --timeouts off --property assertion,deadlock
// unknown: a deadline that may be refused
#include <assert.h>
#include <errno.h>
#include <semaphore.h>
#include <time.h>

unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    sem_t none;
    sem_init(&none, 0, 0);
    struct timespec until = {1, 2000000000 + __VERIFIER_nondet_uchar()};
    int ended = sem_timedwait(&none, &until);
    assert(ended != -1 || errno != EINVAL);
    return 0;
}
