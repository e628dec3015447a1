// A server hands out jobs for ever, two workers do them: one mutex, one condition variable for each direction.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wanted = PTHREAD_COND_INITIALIZER, taken = PTHREAD_COND_INITIALIZER;
static int jobs;

static void *work(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (jobs == 0)
            pthread_cond_wait(&wanted, &lock);
        jobs--;
        assert(jobs == 0);
        pthread_cond_signal(&taken);
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
            pthread_cond_wait(&taken, &lock);
        jobs++;
        pthread_cond_signal(&wanted);
        pthread_mutex_unlock(&lock);
    }
}
