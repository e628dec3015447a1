// An atomic function that the library calls beside other threads is no action of a thread.
// unknown: the atomic function __VERIFIER_atomic_work called by the library
// variant: -DONCE
// variant: -DKEY
#include <assert.h>
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int halfway;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#ifdef KEY
static void __VERIFIER_atomic_work(void *value)
#else
static void __VERIFIER_atomic_work(void)
#endif
{
    halfway = 1;
    halfway = 0;
}

static void *work(void *unused)
{
#ifdef KEY
    pthread_setspecific(key, &halfway);
#else
    pthread_once(&once, __VERIFIER_atomic_work);
#endif
    return unused;
}

int main(void)
{
    pthread_t worker;
#ifdef KEY
    pthread_key_create(&key, __VERIFIER_atomic_work);
#endif
    pthread_create(&worker, NULL, work, NULL);
    __VERIFIER_atomic_begin();
    assert(halfway == 0);
    __VERIFIER_atomic_end();
    pthread_join(worker, NULL);
    return 0;
}
