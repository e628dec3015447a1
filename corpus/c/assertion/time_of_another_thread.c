// A thread compares its own time with another one's.
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int done;
static time_t theirs;

static void *work(void *unused)
{
    struct timespec until = {0};
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < 4 && !done; i++) {
        theirs = time(0);
        until.tv_sec = theirs + 10;
        pthread_cond_timedwait(&condition, &mutex, &until);
    }
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_mutex_lock(&mutex);
    done = 1;
    pthread_cond_signal(&condition);
    assert(theirs < time(0) + 25); // expect: assertion
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    return 0;
}
