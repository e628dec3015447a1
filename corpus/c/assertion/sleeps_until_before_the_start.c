// A thread sleeps until a time before the start of its clock, unless it has read the clock often.
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int written;

static void *write_it(void *unused)
{
    pthread_mutex_lock(&mutex);
    written = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec until;
    pthread_create(&thread, 0, write_it, 0);
    pthread_mutex_lock(&mutex);
    int often = !written;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    for (int i = 0; i < 8; i++)
        if (often)
            time(0);
        else if (i < 4) {
            pthread_mutex_lock(&mutex);
            pthread_mutex_unlock(&mutex);
        }
    often = 0;
    clock_gettime(CLOCK_MONOTONIC, &until);
    pthread_mutex_lock(&mutex);
    written = 0;
    pthread_mutex_unlock(&mutex);
    until.tv_sec -= 40005;
    assert(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, 0) == 0); // expect: assertion
    return 0;
}
