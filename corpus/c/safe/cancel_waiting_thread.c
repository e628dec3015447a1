// A thread is cancelled while it waits: it takes the mutex again, and its handler gives it back.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int cleaned;

static void clean(void *unused)
{
    (void)unused;
    cleaned = 1;
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(clean, 0);
    for (;;)
        pthread_cond_wait(&never, &lock);
    pthread_cleanup_pop(0);
    return unused;
}

int main(void)
{
    void *result;
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    assert(pthread_cancel(thread) == 0);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED);
    pthread_mutex_lock(&lock);
    assert(cleaned == 1);
    pthread_mutex_unlock(&lock);
    return 0;
}
