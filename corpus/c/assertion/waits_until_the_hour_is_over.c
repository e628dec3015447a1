// A loop that waits until some time, which is no time from now on: it is left in the end.
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
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec until = {0};
    int rounds = 0;
    pthread_create(&thread, 0, work, 0);
    pthread_mutex_lock(&mutex);
    do {
        until.tv_sec = time(0) + 1000;
        pthread_cond_timedwait(&condition, &mutex, &until);
    } while (time(0) % 3600 > 1000 && ++rounds < 5);
    assert(!done); // expect: assertion
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    return 0;
}
