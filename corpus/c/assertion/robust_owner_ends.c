// A thread ends with a robust mutex held; who tries to take it meets a busy mutex, or a dead owner's.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m;
static atomic_int taken;

static void *owner(void *p)
{
    pthread_mutex_lock(&m);
    atomic_store(&taken, 1);
    return p;
}

int main(void)
{
    pthread_t t;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &attributes);
    pthread_create(&t, 0, owner, 0);
    if (atomic_load(&taken))
        assert(pthread_mutex_trylock(&m) != EOWNERDEAD); // expect: assertion
    pthread_join(t, 0);
    return 0;
}
