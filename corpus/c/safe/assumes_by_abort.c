// An assumption that is written out, as SV-COMP's programs do: where it does not hold, nothing has
// failed.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

void assume_abort_if_not(int cond)
{
    if (!cond) {
        abort();
    }
}

static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    int input = __VERIFIER_nondet_int();
    assume_abort_if_not(input > 0 && input < 10);
    pthread_mutex_lock(&lock);
    shared += input;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    work(NULL);
    pthread_join(worker, NULL);
    assert(shared > 1 && shared < 19);
    return 0;
}
