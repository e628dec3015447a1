// The usual loop around a wait has a longest execution though each wait may end without a signal: rounds that change nothing
// need not be repeated.
// variant: --spurious-wakeups on
// variant: --spurious-wakeups off
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *producer(void *unused)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *consumer(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&changed, &lock);
    assert(ready);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t one, two, three;
    pthread_create(&one, 0, consumer, 0);
    pthread_create(&two, 0, consumer, 0);
    pthread_create(&three, 0, producer, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    pthread_join(three, 0);
    return 0;
}
