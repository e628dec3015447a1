// The owner of a robust mutex ends with it: the next one gets it with EOWNERDEAD and makes it consistent.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;
static int half_done;

static void *dies(void *unused)
{
    pthread_mutex_lock(&lock);
    half_done = 1;
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
    int result = pthread_mutex_lock(&lock);
    assert(result == 0 || result == EOWNERDEAD);
    assert((result == EOWNERDEAD) == half_done);
    if (result == EOWNERDEAD) {
        half_done = 0;
        assert(pthread_mutex_consistent(&lock) == 0);
    }
    assert(pthread_mutex_unlock(&lock) == 0);
    pthread_join(thread, 0);
    return 0;
}
