// A deadline shortly before now is past, also shortly after the clock's first time: the clock need not go on.
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int seen;

static void *look(void *unused)
{
    pthread_mutex_lock(&mutex);
    seen = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec until;
    pthread_create(&thread, 0, look, 0);
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < 8 && !seen; i++)
        time(0);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    clock_gettime(CLOCK_REALTIME, &until);
    time_t start = until.tv_sec;
    until.tv_sec -= 5;
    pthread_mutex_lock(&mutex);
    pthread_cond_timedwait(&condition, &mutex, &until);
    pthread_mutex_unlock(&mutex);
    assert(time(0) - start < 100);
    return 0;
}
