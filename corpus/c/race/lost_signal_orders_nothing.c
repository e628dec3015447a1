// A time-out came, the signal was lost: the waiter reads without order although "something was signalled".
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int value;

static void *producer(void *unused)
{
    value = 1;
    pthread_cond_signal(&changed);
    return unused;
}

int main(void)
{
    struct timespec soon = {0, 1};
    pthread_t thread;
    pthread_create(&thread, 0, producer, 0);
    pthread_mutex_lock(&lock);
    pthread_cond_timedwait(&changed, &lock, &soon);
    pthread_mutex_unlock(&lock);
    int seen = value; // expect: data-race
    pthread_join(thread, 0);
    return seen & 0;
}
