// One thread never leaves its section. What it does inside has nothing to do with the other one's
// section, and yet the order decides whether the other thread comes to its assertion.
// options: --property assertion
// published: missed
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int c, d;

static void *stop(void *unused)
{
    pthread_mutex_lock(&lock);
    c = 1;
    __VERIFIER_assume(0);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *go_on(void *unused)
{
    pthread_mutex_lock(&lock);
    d = 1;
    pthread_mutex_unlock(&lock);
    assert(0); // expect: assertion
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, go_on, 0);
    pthread_create(&threads[1], 0, stop, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
