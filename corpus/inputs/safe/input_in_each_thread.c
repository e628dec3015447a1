// Each of two threads has an input of its own and branches on it: 2 × 2 paths, and for each of them the two orders of the
// critical sections.
// count(dpor)=8
#include <assert.h>
#include <pthread.h>

unsigned __VERIFIER_nondet_uint(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned sum;

static void *add(void *unused)
{
    unsigned amount = __VERIFIER_nondet_uint();
    if (amount > 10)
        amount = 10;
    pthread_mutex_lock(&lock);
    sum += amount;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(sum <= 20);
    return 0;
}
