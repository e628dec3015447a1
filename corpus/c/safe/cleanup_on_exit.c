// pthread_exit runs the handlers that are still pushed, the last first.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int left;

static void unlock(void *mutex)
{
    left = 1;
    pthread_mutex_unlock(mutex);
}

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(unlock, &lock);
    pthread_exit(unused);
    pthread_cleanup_pop(0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    pthread_mutex_lock(&lock);
    assert(left == 1);
    pthread_mutex_unlock(&lock);
    return 0;
}
