// A read-write lock is destroyed by the one who reads under it.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void)
{
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_destroy(&lock); // expect: pthread.rwlock-destroy-held
    return 0;
}
