// Producer and consumers share one condition variable: a signal can wake a thread that it does not help.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items;

static void *consume(void *unused)
{
    pthread_mutex_lock(&lock);
    while (items == 0)
        pthread_cond_wait(&changed, &lock); // expect: deadlock, deadlock.lost-wakeup
    items--;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *produce(void *unused)
{
    pthread_mutex_lock(&lock);
    while (items == 1)
        pthread_cond_wait(&changed, &lock);
    items++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, consume, 0);
    pthread_create(&b, 0, consume, 0);
    pthread_create(&c, 0, produce, 0);
    produce(0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
