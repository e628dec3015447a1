// How long a thread sleeps depends on how long it has waited before, which nothing else in the state shows.
//
// variant: -DMICRO=0
// variant: -DMICRO=1
#include <assert.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

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
    struct timespec until;
    pthread_create(&thread, 0, work, 0);
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < 4 && !done; i++) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        pthread_cond_timedwait(&condition, &mutex, &until);
    }
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    time_t start = time(0);
    if (MICRO)
        usleep((start - 1700000000) * 1000000);
    else
        sleep((unsigned)(start - 1700000000));
    assert(time(0) - start < 4); // expect: assertion
    return 0;
}
