// A thread that is created within an atomic block would have to wait for the block's end.
// unknown: creating a thread in an atomic block
// variant: -DBETWEEN
// variant: -DCALLED
#include <assert.h>
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int halfway;
static pthread_t worker;

static void *work(void *unused)
{
    __VERIFIER_atomic_begin();
    assert(halfway != 1);
    __VERIFIER_atomic_end();
    return unused;
}

static void create(void)
{
    halfway = 1;
    pthread_create(&worker, NULL, work, NULL);
    halfway = 2;
}

static void __VERIFIER_atomic_create(void)
{
    create();
}

int main(void)
{
#ifdef CALLED
    __VERIFIER_atomic_create();
#else
    __VERIFIER_atomic_begin();
    create();
    __VERIFIER_atomic_end();
#endif
    pthread_join(worker, NULL);
    return 0;
}
