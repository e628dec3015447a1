// A mutex that was destroyed is one again when its initialiser is assigned.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *count(void *unused)
{
    pthread_mutex_lock(&lock);
    value++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    for (int round = 0; round < 2; round++)
    {
        pthread_t thread;
        pthread_create(&thread, 0, count, 0);
        count(0);
        pthread_join(thread, 0);
        pthread_mutex_destroy(&lock);
        lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    }
    assert(value == 4);
    return 0;
}
