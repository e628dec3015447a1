// A section that returns without an unlock, if it comes after the other one: the order of the two
// matters, because the second thread may then wait for ever.
// options: --property assertion,deadlock,pthread
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int a, b;

static void *keeps(void *unused)
{
    pthread_mutex_lock(&lock);
    a = 1;
    return unused;
}

static void *waits(void *unused)
{
    pthread_mutex_lock(&lock); // expect: deadlock
    b = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, waits, 0);
    pthread_create(&threads[1], 0, keeps, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(a == 1 && b == 1);
    return 0;
}
