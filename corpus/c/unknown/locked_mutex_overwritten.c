// unknown: writing over a mutex that is in use
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    pthread_mutex_lock(&lock);
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    return 0;
}
