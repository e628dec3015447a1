// Each round of a loop waits until a time from then on, so its states differ in the time only.
//
// variant: -DLATER=0
// variant: -DLATER=1
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int done, late;

static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    done = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec now, until;
    pthread_create(&thread, 0, work, 0);
    pthread_mutex_lock(&mutex);
    while (!done) {
        clock_gettime(CLOCK_REALTIME, &now);
        until = now;
        until.tv_sec += LATER;
        until.tv_nsec += 300000000;
        if (until.tv_nsec >= 1000000000) {
            until.tv_sec++;
            until.tv_nsec -= 1000000000;
        }
        int error = pthread_cond_timedwait(&condition, &mutex, &until);
        if (error) {
            assert(error == ETIMEDOUT);
            clock_gettime(CLOCK_REALTIME, &now);
            assert(now.tv_sec >= until.tv_sec);
            late = 1;
        }
    }
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    return 0;
}
