// Timers of the process that call a function, and those that only count. When a timer expires is up to the schedule: a thread of its
// own comes at any moment before the timer is set again, and runs the function. Timers that send signals are unsupported.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

void __selvedge_unsupported(const char *what);

struct timer
{
    pthread_mutex_t lock; // of its own, so that threads with different timers learn nothing of each other
    struct sigevent event;
    unsigned long setting; // 0: it is off
    unsigned long settings, uses;
};

// What the thread of a timer is told.
struct flight
{
    struct timer *timer;
    unsigned long setting;
};

static int invalid(void)
{
    errno = EINVAL;
    return -1;
}

int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict to)
{
    if (clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID || clock < 0)
        __selvedge_unsupported("a timer of the processor's time");
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME && clock != CLOCK_TAI)
        return invalid();
    if (!event || event->sigev_notify == SIGEV_SIGNAL || event->sigev_notify == SIGEV_THREAD_ID)
        __selvedge_unsupported("a timer that sends a signal (timer_create)");
    if (event->sigev_notify != SIGEV_NONE && event->sigev_notify != SIGEV_THREAD)
        return invalid();
    struct timer *timer = malloc(sizeof *timer);
    if (!timer) {
        errno = EAGAIN;
        return -1;
    }
    *timer = (struct timer){.lock = PTHREAD_MUTEX_INITIALIZER, .event = *event, .uses = 1};
    *to = timer;
    return 0;
}

// Gives the lock of a timer back, and a use of it up.
static void leave(struct timer *timer)
{
    int is_last = --timer->uses == 0;
    pthread_mutex_unlock(&timer->lock);
    if (is_last)
        free(timer);
}

static void *expire(void *what)
{
    struct flight flight = *(struct flight *)what;
    free(what);
    pthread_mutex_lock(&flight.timer->lock);
    struct sigevent event = flight.timer->event;
    int is_on = flight.timer->setting == flight.setting;
    if (is_on)
        flight.timer->setting = 0;
    leave(flight.timer);
    if (is_on)
        event.sigev_notify_function(event.sigev_value);
    return NULL;
}

// A thread for the present setting. The lock is held.
static void start(struct timer *timer)
{
    struct flight *flight = malloc(sizeof *flight);
    *flight = (struct flight){timer, timer->setting};
    timer->uses++;
    pthread_t thread;
    if (pthread_create(&thread, NULL, expire, flight))
        __selvedge_unsupported("a timer for which no thread can be made");
    pthread_detach(thread);
}

static int is_time(const struct timespec *time) { return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < 1000000000; }

int timer_settime(timer_t which, int flags, const struct itimerspec *restrict wanted, struct itimerspec *restrict before)
{
    struct timer *timer = which;
    (void)flags;
    if (!is_time(&wanted->it_value) || !is_time(&wanted->it_interval))
        return invalid();
    int on = wanted->it_value.tv_sec != 0 || wanted->it_value.tv_nsec != 0;
    pthread_mutex_lock(&timer->lock);
    if (before && timer->setting)
        __selvedge_unsupported("the time that is left of a timer (timer_settime)");
    if (before)
        *before = (struct itimerspec){0};
    timer->setting = on ? ++timer->settings : 0;
    if (on && timer->event.sigev_notify == SIGEV_THREAD) {
        if (wanted->it_interval.tv_sec != 0 || wanted->it_interval.tv_nsec != 0)
            __selvedge_unsupported("a timer that calls a function again and again");
        start(timer);
    }
    pthread_mutex_unlock(&timer->lock);
    return 0;
}

int timer_gettime(timer_t which, struct itimerspec *now)
{
    struct timer *timer = which;
    pthread_mutex_lock(&timer->lock);
    if (timer->setting)
        __selvedge_unsupported("the time that is left of a timer (timer_gettime)");
    pthread_mutex_unlock(&timer->lock);
    *now = (struct itimerspec){0};
    return 0;
}

int timer_getoverrun(timer_t which)
{
    (void)which;
    return 0;
}

int timer_delete(timer_t which)
{
    struct timer *timer = which;
    pthread_mutex_lock(&timer->lock);
    timer->setting = 0;
    leave(timer);
    return 0;
}
