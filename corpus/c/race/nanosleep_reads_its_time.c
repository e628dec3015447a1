// A sleep reads how long, and another thread writes that.
//
// variant: -DNANO
// variant: -DCLOCK
// variant: -DJOIN
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

static struct timespec time_to_sleep;

static void *change(void *unused)
{
    (void)unused;
    time_to_sleep.tv_sec = 1; // expect: data-race
    return 0;
}

#ifdef JOIN
static void *nothing(void *unused)
{
    return unused;
}
#endif

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, change, 0);
#if defined(CLOCK)
    clock_nanosleep(CLOCK_MONOTONIC, 0, &time_to_sleep, 0);
#elif defined(JOIN)
    pthread_t other;
    pthread_create(&other, 0, nothing, 0);
    if (pthread_timedjoin_np(other, 0, &time_to_sleep) != 0)
        pthread_join(other, 0);
#else
    nanosleep(&time_to_sleep, 0);
#endif
    pthread_join(thread, 0);
    return 0;
}
