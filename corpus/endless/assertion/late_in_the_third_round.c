// Three waits in a row may time out, and then the time for all of them is over.
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int done;

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
    struct timespec until = {0};
    time_t start = time(0);
    pthread_create(&thread, 0, work, 0);
    pthread_mutex_lock(&mutex);
    while (!done) {
        until.tv_sec = time(0) + 10;
        pthread_cond_timedwait(&condition, &mutex, &until);
        assert(time(0) - start < 30); // expect: assertion
    }
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    return 0;
}
