// A condition variable: main waits until the worker has said that it is ready. With -DFOREVER=1 again and again.
#include <pthread.h>

#ifndef FOREVER
#define FOREVER 0
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *worker(void *unused)
{
    do {
        pthread_mutex_lock(&lock);
        ready = 1;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    } while (FOREVER);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    do {
        pthread_mutex_lock(&lock);
        while (!ready)
            pthread_cond_wait(&changed, &lock);
        ready = 0;
        pthread_mutex_unlock(&lock);
    } while (FOREVER);
    pthread_join(thread, 0);
    return 0;
}
