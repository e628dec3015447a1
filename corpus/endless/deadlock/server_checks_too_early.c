// The worker looks at the flag without holding the lock: a signal between the look and the wait is lost.
// expect-anywhere: deadlock, deadlock.lost-wakeup
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wanted = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static atomic_int jobs;

static void *work(void *unused)
{
    for (;;) {
        if (jobs == 0) {
            pthread_mutex_lock(&lock);
            pthread_cond_wait(&wanted, &lock);
            pthread_mutex_unlock(&lock);
        }
        pthread_mutex_lock(&lock);
        jobs = 0;
        pthread_cond_signal(&done);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t one;
    pthread_create(&one, 0, work, 0);
    for (;;) {
        pthread_mutex_lock(&lock);
        jobs = 1;
        pthread_cond_signal(&wanted);
        while (jobs)
            pthread_cond_wait(&done, &lock);
        pthread_mutex_unlock(&lock);
    }
}
