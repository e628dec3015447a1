// Two sections of one lock each, with the other lock inside: what they access has nothing in common,
// and their order matters all the same.
// options: --property assertion,deadlock,pthread
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static int a, b;

static void *first(void *unused)
{
    pthread_mutex_lock(&m);
    a = 1;
    pthread_mutex_lock(&n);
    pthread_mutex_unlock(&n);
    pthread_mutex_unlock(&m);
    return unused;
}

static void *second(void *unused)
{
    pthread_mutex_lock(&n);
    b = 1;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&n);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, first, 0);
    pthread_create(&threads[1], 0, second, 0);
    pthread_join(threads[0], 0); // expect: deadlock
    pthread_join(threads[1], 0);
    assert(a == 1 && b == 1);
    return 0;
}
