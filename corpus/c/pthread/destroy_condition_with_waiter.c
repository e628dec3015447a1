// The condition variable is destroyed while a thread may wait on it.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting;

static void *wait(void *unused)
{
    pthread_mutex_lock(&lock);
    waiting = 1;
    pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, wait, 0);
    pthread_mutex_lock(&lock);
    if (waiting)
        pthread_cond_destroy(&changed); // expect: pthread.cond-destroy-waiting
    pthread_mutex_unlock(&lock);
    return 0;
}
