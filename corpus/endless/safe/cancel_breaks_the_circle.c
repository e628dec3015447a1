// One thread joins another one that wants its lock. That is a circle, but a third thread cancels the first, whose handler gives the lock back. After
// that main serves for ever.
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t wants;

static void give_back(void *unused)
{
    (void)unused;
    pthread_mutex_unlock(&lock);
}

static void *want(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *join_with_lock(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(give_back, 0);
    pthread_join(wants, 0);
    pthread_cleanup_pop(1);
    return unused;
}

int main(void)
{
    pthread_t joins;
    pthread_create(&wants, 0, want, 0);
    pthread_create(&joins, 0, join_with_lock, 0);
    pthread_cancel(joins);
    for (;;)
        sched_yield();
}
