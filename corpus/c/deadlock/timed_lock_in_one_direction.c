// One side would give up after a while, the other does not: no deadlock there; but both plain locks of the second pair are.
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *unused)
{
    struct timespec soon = {0, 1};
    pthread_mutex_lock(&b);
    if (pthread_mutex_timedlock(&a, &soon) == 0)
        pthread_mutex_unlock(&a);
    pthread_mutex_lock(&c); // expect: deadlock
    pthread_mutex_unlock(&c);
    pthread_mutex_unlock(&b);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_mutex_lock(&c);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&c);
    pthread_join(thread, 0);
    return 0;
}
