// A reader that wants to become a writer waits for itself.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void)
{
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_wrlock(&lock); // expect: deadlock, pthread.rwlock-relock
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    return 0;
}
