// Who joins a thread goes on from the later time of the two, so how often the other one has timed out decides.
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int done;

static void *work(void *unused)
{
    struct timespec until = {0};
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < 4 && !done; i++) {
        until.tv_sec = time(0) + 10;
        pthread_cond_timedwait(&condition, &mutex, &until);
    }
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    time_t start = time(0);
    pthread_create(&thread, 0, work, 0);
    pthread_mutex_lock(&mutex);
    done = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    assert(time(0) - start < 25); // expect: assertion
    return 0;
}
