// A value travels through two mutexes: what happened before the first unlock happened before the second lock too.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int stage_one, stage_two, value;

static void *courier(void *unused)
{
    pthread_mutex_lock(&first);
    int arrived = stage_one;
    pthread_mutex_unlock(&first);
    if (arrived) {
        pthread_mutex_lock(&second);
        stage_two = 1;
        pthread_mutex_unlock(&second);
    }
    return unused;
}

static void *receiver(void *unused)
{
    pthread_mutex_lock(&second);
    int arrived = stage_two;
    pthread_mutex_unlock(&second);
    if (arrived)
        assert(value == 5);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, courier, 0);
    pthread_create(&b, 0, receiver, 0);
    value = 5;
    pthread_mutex_lock(&first);
    stage_one = 1;
    pthread_mutex_unlock(&first);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
