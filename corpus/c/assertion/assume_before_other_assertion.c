// One thread stops at a false assumption; the other's assertion is still reached.
#include <assert.h>
#include <pthread.h>

void __VERIFIER_assume(int condition);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *fails(void *unused)
{
    pthread_mutex_lock(&lock);
    value++;
    assert(value == 1); // expect: assertion
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, fails, 0);
    pthread_mutex_lock(&lock);
    value++;
    pthread_mutex_unlock(&lock);
    __VERIFIER_assume(0);
    return 0;
}
