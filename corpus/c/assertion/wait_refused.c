// A wait with an errorcheck mutex that another thread holds fails at once, and the thread goes on.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int x;

static void *waiter(void *p)
{
    pthread_cond_wait(&c, &m);
    atomic_store(&x, 1);
    return p;
}

int main(void)
{
    pthread_t t;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &attributes);
    pthread_mutex_lock(&m);
    pthread_create(&t, 0, waiter, 0);
    int before = atomic_load(&x);
    assert(before == 0); // expect: assertion
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
