// Each round reads another byte of input and forgets the one before: the states are the same but for its name.
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
