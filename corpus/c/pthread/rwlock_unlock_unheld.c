// A read-write lock is unlocked by a thread that holds it in no mode.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void)
{
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock); // expect: pthread.rwlock-unlock-unheld
    return 0;
}
