// One condition variable for both directions: after some rounds a signal for the server goes to a worker, and all of them wait.
// expect-anywhere: deadlock, deadlock.lost-wakeup
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int jobs;

static void *work(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (jobs == 0)
            pthread_cond_wait(&changed, &lock);
        jobs--;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, 0);
    for (;;) {
        pthread_mutex_lock(&lock);
        while (jobs > 0)
            pthread_cond_wait(&changed, &lock);
        jobs++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
}
