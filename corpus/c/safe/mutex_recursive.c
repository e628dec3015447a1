// A recursive mutex is taken twice by its owner and is free only after the second unlock.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock;
static int value;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    int before = value;
    assert(pthread_mutex_lock(&lock) == 0);
    assert(pthread_mutex_trylock(&lock) == 0);
    value++;
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&lock);
    assert(value == before + 1);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    work(0);
    pthread_join(other, 0);
    assert(value == 2);
    pthread_mutex_destroy(&lock);
    return 0;
}
