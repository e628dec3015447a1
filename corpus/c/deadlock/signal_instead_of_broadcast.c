// Two waiters, one signal: one of them stays.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int open;

static void *visitor(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!open)
        pthread_cond_wait(&opened, &lock); // expect: deadlock, deadlock.lost-wakeup
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, visitor, 0);
    pthread_create(&b, 0, visitor, 0);
    pthread_mutex_lock(&lock);
    open = 1;
    pthread_cond_signal(&opened);
    pthread_mutex_unlock(&lock);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
