// Waiting with a mutex that was never locked.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

int main(void)
{
    pthread_cond_wait(&changed, &lock); // expect: pthread.cond-wait-unlocked
    return 0;
}
