// Each round reads another byte of input: there is no end of them, so no state is as before; a limit ends the run.
// unknown: depth
// options: --max-events 40 --max-executions 300
#include <pthread.h>

unsigned char __VERIFIER_nondet_uchar(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char newest;

int main(void)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        newest = __VERIFIER_nondet_uchar();
        pthread_mutex_unlock(&lock);
    }
}
