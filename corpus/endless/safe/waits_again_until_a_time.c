// A loop that reads the clock to wait until a second later: the clock is limited, so states repeat.
// options: --clock-steps 2
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *gives(void *unused)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec end, last = {0, 0};
    pthread_create(&thread, 0, gives, 0);
    pthread_mutex_lock(&lock);
    while (!ready) {
        clock_gettime(CLOCK_REALTIME, &end);
        if (end.tv_sec < last.tv_sec)
            return 1;
        last = end;
        end.tv_sec++;
        pthread_cond_timedwait(&changed, &lock, &end);
    }
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
