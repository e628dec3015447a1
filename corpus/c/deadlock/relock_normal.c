// A thread that locks its normal mutex again waits for itself: a cycle of one.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void helper(void)
{
    pthread_mutex_lock(&lock); // expect: deadlock
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_mutex_lock(&lock);
    helper();
    pthread_mutex_unlock(&lock);
    return 0;
}
