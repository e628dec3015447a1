// A start routine whose name says that it is executed atomically is called by nobody.
// unknown: the atomic function __VERIFIER_atomic_work as a start routine
#include <assert.h>
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int halfway;

static void *__VERIFIER_atomic_work(void *unused)
{
    halfway = 1;
    halfway = 0;
    return unused;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, __VERIFIER_atomic_work, NULL);
    __VERIFIER_atomic_begin();
    assert(halfway == 0);
    __VERIFIER_atomic_end();
    pthread_join(worker, NULL);
    return 0;
}
