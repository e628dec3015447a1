// Two mutexes taken in opposite orders: the cycle of two.
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *unused)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); // expect: deadlock
    pthread_mutex_unlock(&a);
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
    pthread_join(thread, 0);
    return 0;
}
