// A wait for a condition variable refuses its deadline: what that means for the mutex is not modelled.
// unknown: a deadline with a second or more of nanoseconds
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

int main(void)
{
    struct timespec deadline = {0, 1000000000};
    pthread_mutex_lock(&mutex);
    pthread_cond_timedwait(&cond, &mutex, &deadline);
    pthread_mutex_unlock(&mutex);
    return 0;
}
