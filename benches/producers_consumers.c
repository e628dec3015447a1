// K producers and K consumers of one number each, a queue without a bound, one condition variable.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int count;

static void *produce(void *unused)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *consume(void *unused)
{
    pthread_mutex_lock(&lock);
    while (count == 0)
        pthread_cond_wait(&changed, &lock);
    count--;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[2 * K];
    for (int i = 0; i < K; i++) {
        pthread_create(&threads[2 * i], 0, produce, 0);
        pthread_create(&threads[2 * i + 1], 0, consume, 0);
    }
    for (int i = 0; i < 2 * K; i++)
        pthread_join(threads[i], 0);
    assert(count == 0);
    return 0;
}
