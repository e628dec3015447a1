// An errorcheck mutex answers misuse with an error code: EDEADLK to its owner, EPERM to everybody else.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;

static void *stranger(void *unused)
{
    assert(pthread_mutex_unlock(&lock) == EPERM);
    return unused;
}

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&lock, &attributes);
    pthread_t thread;
    assert(pthread_mutex_unlock(&lock) == EPERM);
    assert(pthread_mutex_lock(&lock) == 0);
    assert(pthread_mutex_lock(&lock) == EDEADLK);
    pthread_create(&thread, 0, stranger, 0);
    pthread_join(thread, 0);
    assert(pthread_mutex_unlock(&lock) == 0);
    return 0;
}
