// Timers that send signals. Without handlers, such a signal ends the process at some moment, unless it is ignored or blocked, and
// every earlier end of the process is part of longer executions. So nothing has to happen. In programs that set handlers, a thread
// of its own sends the signal, at any moment before the timer is set again (signal_delivery.c).
#include <errno.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

#include "signals.h"
#include "tables.h"

// For how many seconds the timer was set last; 0: it is off.
static _Atomic unsigned last;
// Whether one of the others was set at some time.
static _Atomic int others;

// At most as many seconds are left as were asked for, and none if the signal was sent and did not end the process.
unsigned alarm(unsigned seconds)
{
    unsigned before = atomic_exchange_explicit(&last, seconds, memory_order_relaxed);
    if (before > 1000000)
        __selvedge_unsupported("alarm after one of more than a million seconds");
    // It goes off when its signal is sent, which happens here.
    if (__selvedge_delivers())
        return __selvedge_arm(0, SIGALRM, seconds != 0) ? 1 + (unsigned)__selvedge_outside((int)before) : 0;
    return before ? (unsigned)__selvedge_outside((int)before + 1) : 0;
}

static int is_time(const struct timeval *time) { return time->tv_sec >= 0 && time->tv_usec >= 0 && time->tv_usec < 1000000; }

int setitimer(__itimer_which_t which, const struct itimerval *restrict wanted, struct itimerval *restrict before)
{
    if ((which != ITIMER_REAL && which != ITIMER_VIRTUAL && which != ITIMER_PROF) || (wanted && (!is_time(&wanted->it_value) || !is_time(&wanted->it_interval))))
    {
        errno = EINVAL;
        return -1;
    }
    if (before)
        __selvedge_unsupported("setitimer that asks for the time that was left");
    if (__selvedge_delivers() && wanted) {
        static const int numbers[] = {SIGALRM, SIGVTALRM, SIGPROF};
        int on = wanted->it_value.tv_sec != 0 || wanted->it_value.tv_usec != 0;
        if (on && (wanted->it_interval.tv_sec != 0 || wanted->it_interval.tv_usec != 0))
            __selvedge_unsupported("a timer that sends a signal again and again, in a program that sets handlers");
        __selvedge_arm(which, numbers[which], on);
    }
    if (which != ITIMER_REAL && wanted && (wanted->it_value.tv_sec != 0 || wanted->it_value.tv_usec != 0))
        TABLE_SET(others, 1);
    if (which == ITIMER_REAL && wanted)
        TABLE_SET(last, (unsigned)wanted->it_value.tv_sec + (wanted->it_value.tv_usec > 0));
    return 0;
}

int getitimer(__itimer_which_t which, struct itimerval *now)
{
    if (which != ITIMER_REAL && which != ITIMER_VIRTUAL && which != ITIMER_PROF)
    {
        errno = EINVAL;
        return -1;
    }
    if (which == ITIMER_REAL ? TABLE_GET(last) != 0 : TABLE_GET(others))
        __selvedge_unsupported("getitimer of a timer that was set");
    *now = (struct itimerval){0};
    return 0;
}
