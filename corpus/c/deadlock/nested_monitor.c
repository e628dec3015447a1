// Waiting gives back the inner mutex only; whoever should signal needs the outer one.
#include <pthread.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *producer(void *unused)
{
    pthread_mutex_lock(&outer); // expect: deadlock
    pthread_mutex_lock(&inner);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, producer, 0);
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    while (!ready)
        pthread_cond_wait(&changed, &inner);
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    pthread_join(thread, 0);
    return 0;
}
