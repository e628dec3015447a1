// A robust mutex that is unlocked without having been made consistent is lost for good.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;

static void *dies(void *unused)
{
    pthread_mutex_lock(&lock);
    return unused;
}

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &attributes);
    pthread_t thread;
    pthread_create(&thread, 0, dies, 0);
    pthread_join(thread, 0);
    assert(pthread_mutex_trylock(&lock) == EOWNERDEAD);
    assert(pthread_mutex_unlock(&lock) == 0);
    assert(pthread_mutex_lock(&lock) == ENOTRECOVERABLE);
    return 0;
}
