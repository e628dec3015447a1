// Main writes one of three elements under a lock; the thread claims that it is not the middle one.
#include <assert.h>
#include <pthread.h>

unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int);

static int elements[3];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    assert(elements[1] == 0); // expect: assertion
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    unsigned at = __VERIFIER_nondet_uint();
    __VERIFIER_assume(at < 3);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_mutex_lock(&lock);
    elements[at] = 1;
    pthread_mutex_unlock(&lock);
    return 0;
}
