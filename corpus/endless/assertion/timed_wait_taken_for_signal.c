// After a timed wait the worker believes that there is work.
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wanted = PTHREAD_COND_INITIALIZER;
static int jobs;

static void *work(void *unused)
{
    struct timespec soon = {0, 1};
    for (;;) {
        pthread_mutex_lock(&lock);
        if (!jobs)
            pthread_cond_timedwait(&wanted, &lock, &soon);
        assert(jobs > 0); // expect: assertion
        jobs--;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, 0, work, 0);
    for (;;) {
        pthread_mutex_lock(&lock);
        if (!jobs) {
            jobs++;
            pthread_cond_signal(&wanted);
        }
        pthread_mutex_unlock(&lock);
    }
}
