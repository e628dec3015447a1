// A lock that prefers writers lets no reader in while a writer waits, so who reads twice may wait for ever.
// unknown: a read-write lock that prefers writers
// variant: -DINITIALISER
// variant: -DATTRIBUTE
#define _GNU_SOURCE
#include <pthread.h>

#ifdef INITIALISER
static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
#else
static pthread_rwlock_t lock;
#endif

static void *write(void *arg)
{
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t writer;
#ifdef ATTRIBUTE
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock, &attributes);
#endif
    pthread_create(&writer, 0, write, 0);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_join(writer, 0);
    return 0;
}
