// `if` instead of `while`, without spurious wakeups: another consumer takes the item before the woken one gets the mutex.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;

static void *consume(void *unused)
{
    pthread_mutex_lock(&lock);
    if (items == 0)
        pthread_cond_wait(&filled, &lock);
    assert(items > 0); // expect: assertion
    items--;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *produce(void *unused)
{
    pthread_mutex_lock(&lock);
    items++;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a, b, c, d;
    pthread_create(&a, 0, consume, 0);
    pthread_create(&b, 0, consume, 0);
    pthread_create(&c, 0, produce, 0);
    pthread_create(&d, 0, produce, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    pthread_join(d, 0);
    return 0;
}
