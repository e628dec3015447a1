// Nobody ever signals, and a spurious wakeup need not come.
// variant: --spurious-wakeups off
// variant: --spurious-wakeups on
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

int main(void)
{
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&changed, &lock); // expect: deadlock
    pthread_mutex_unlock(&lock);
    return 0;
}
