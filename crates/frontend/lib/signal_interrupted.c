// Calls that a handler may interrupt, and waits of several actions, in programs in which handlers run at points (signal_delivery.c).
// Calls of NAME come to __selvedge_interrupted_NAME there (crates/analysis/src/signal_points.rs).
//
// A handler that runs at the point within the call makes it fail with EINTR, unless its action says that such calls are restarted
// (SA_RESTART), or makes it return early. POSIX allows that also where the call would not have waited.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include "signals.h"

enum { ALWAYS = 0, RESTARTS = 1, ASKS = 2 };
enum { ASKS_TIME = 0x5e1d0000 }; // whether a socket has a time-out

// Whether a call on a socket, or on something else, is interrupted. With a time-out (`option`) it is never restarted (signal(7)).
static int interrupts(int fd, int option)
{
    int ran = __selvedge_signal_interrupts(ASKS), old = errno;
    if (ran == ASKS) {
        int has = 0;
        socklen_t size = sizeof has;
        if (getsockopt(fd, SOL_SOCKET, ASKS_TIME | option, &has, &size) == 0 && has)
            ran = 1;
        errno = old;
    }
    return ran & 1;
}

// A call that fails with -1 and EINTR if it is interrupted.
#define INTERRUPTED(result, name, restarts, parameters, arguments) \
    result __selvedge_interrupted_##name parameters \
    { \
        if (!__selvedge_signal_interrupts(restarts)) \
            return name arguments; \
        errno = EINTR; \
        return -1; \
    }

#define ON_SOCKET(result, name, option, parameters, arguments) \
    result __selvedge_interrupted_##name parameters \
    { \
        if (!interrupts(fd, option)) \
            return name arguments; \
        errno = EINTR; \
        return -1; \
    }

INTERRUPTED(int, sem_wait, RESTARTS, (sem_t *s), (s))
// With a deadline Linux does not restart the wait, whatever the action says.
INTERRUPTED(int, sem_timedwait, ALWAYS, (sem_t *restrict s, const struct timespec *restrict end), (s, end))
INTERRUPTED(int, sem_clockwait, ALWAYS, (sem_t *restrict s, clockid_t clock, const struct timespec *restrict end), (s, clock, end))
INTERRUPTED(int, poll, ALWAYS, (struct pollfd *all, nfds_t count, int time), (all, count, time))
INTERRUPTED(int, select, ALWAYS, (int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict other, struct timeval *restrict time), (count, in, out, other, time))
INTERRUPTED(int, epoll_wait, ALWAYS, (int fd, struct epoll_event *events, int most, int time), (fd, events, most, time))
ON_SOCKET(int, accept, SO_RCVTIMEO, (int fd, struct sockaddr *restrict address, socklen_t *restrict size), (fd, address, size))
ON_SOCKET(int, accept4, SO_RCVTIMEO, (int fd, struct sockaddr *restrict address, socklen_t *restrict size, int flags), (fd, address, size, flags))
ON_SOCKET(ssize_t, recv, SO_RCVTIMEO, (int fd, void *bytes, size_t count, int flags), (fd, bytes, count, flags))
ON_SOCKET(ssize_t, recvmsg, SO_RCVTIMEO, (int fd, struct msghdr *message, int flags), (fd, message, flags))
ON_SOCKET(ssize_t, recvfrom, SO_RCVTIMEO, (int fd, void *restrict bytes, size_t count, int flags, struct sockaddr *restrict address, socklen_t *restrict size), (fd, bytes, count, flags, address, size))
ON_SOCKET(ssize_t, send, SO_SNDTIMEO, (int fd, const void *bytes, size_t count, int flags), (fd, bytes, count, flags))
ON_SOCKET(ssize_t, sendmsg, SO_SNDTIMEO, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
ON_SOCKET(ssize_t, sendto, SO_SNDTIMEO, (int fd, const void *bytes, size_t count, int flags, const struct sockaddr *address, socklen_t size), (fd, bytes, count, flags, address, size))
INTERRUPTED(int, lockf, RESTARTS, (int fd, int operation, off_t size), (fd, operation, size))
INTERRUPTED(int, flock, RESTARTS, (int fd, int operation), (fd, operation))
INTERRUPTED(int, mq_send, RESTARTS, (mqd_t queue, const char *bytes, size_t count, unsigned priority), (queue, bytes, count, priority))
INTERRUPTED(int, mq_timedsend, RESTARTS, (mqd_t queue, const char *bytes, size_t count, unsigned priority, const struct timespec *end), (queue, bytes, count, priority, end))
INTERRUPTED(ssize_t, mq_timedreceive, RESTARTS, (mqd_t queue, char *restrict bytes, size_t count, unsigned *restrict priority, const struct timespec *restrict end), (queue, bytes, count, priority, end))
INTERRUPTED(ssize_t, mq_receive, RESTARTS, (mqd_t queue, char *bytes, size_t count, unsigned *priority), (queue, bytes, count, priority))

// A connection that a handler interrupts goes on by itself.
int __selvedge_interrupted_connect(int fd, const struct sockaddr *address, socklen_t size)
{
    if (interrupts(fd, SO_SNDTIMEO))
        __selvedge_unsupported("a handler that interrupts connect");
    return connect(fd, address, size);
}

// Waits that change which signals the thread blocks: supported where they do not.
#define WITH_MASK(name, parameters, arguments) \
    int __selvedge_interrupted_##name parameters \
    { \
        if (mask) \
            __selvedge_unsupported(#name " with a set of signals, in a program that sets handlers"); \
        if (!__selvedge_signal_interrupts(ALWAYS)) \
            return name arguments; \
        errno = EINTR; \
        return -1; \
    }

WITH_MASK(ppoll, (struct pollfd *all, nfds_t count, const struct timespec *time, const sigset_t *mask), (all, count, time, mask))
WITH_MASK(pselect, (int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict other, const struct timespec *restrict time, const sigset_t *restrict mask), (count, in, out, other, time, mask))
WITH_MASK(epoll_pwait, (int fd, struct epoll_event *events, int most, int time, const sigset_t *mask), (fd, events, most, time, mask))

// The same for a descriptor that may be that of a regular file: such a call is not interrupted.
static int waits(int fd)
{
    struct stat status;
    return fstat(fd, &status) != 0 || !S_ISREG(status.st_mode);
}

#define MAYBE_INTERRUPTED(name, option, parameters, arguments) \
    ssize_t __selvedge_interrupted_##name parameters \
    { \
        if (!interrupts(fd, option) || !waits(fd)) \
            return name arguments; \
        errno = EINTR; \
        return -1; \
    }

MAYBE_INTERRUPTED(read, SO_RCVTIMEO, (int fd, void *bytes, size_t count), (fd, bytes, count))
MAYBE_INTERRUPTED(write, SO_SNDTIMEO, (int fd, const void *bytes, size_t count), (fd, bytes, count))
MAYBE_INTERRUPTED(readv, SO_RCVTIMEO, (int fd, const struct iovec *parts, int count), (fd, parts, count))
MAYBE_INTERRUPTED(writev, SO_SNDTIMEO, (int fd, const struct iovec *parts, int count), (fd, parts, count))

// ---- sleeping: how much of the time is left is not known

unsigned __selvedge_interrupted_sleep(unsigned seconds)
{
    if (!__selvedge_signal_interrupts(ALWAYS))
        return sleep(seconds);
    return seconds < 1000000 ? (unsigned)__selvedge_outside((int)seconds + 1) : seconds - (unsigned)__selvedge_outside(1000000);
}

int __selvedge_interrupted_usleep(useconds_t time)
{
    if (!__selvedge_signal_interrupts(ALWAYS))
        return usleep(time);
    errno = EINTR;
    return -1;
}

// Less is left than was asked for, or as much.
static void leave(const struct timespec *time, struct timespec *left)
{
    struct timespec all = *time;
    if (all.tv_sec >= 1000000)
        __selvedge_unsupported("the time that is left of a sleep of more than a million seconds");
    left->tv_sec = __selvedge_outside((int)all.tv_sec + 1);
    left->tv_nsec = left->tv_sec < all.tv_sec ? __selvedge_outside(1000000000) : __selvedge_outside((int)all.tv_nsec + 1);
}

int __selvedge_interrupted_nanosleep(const struct timespec *time, struct timespec *left)
{
    if (!__selvedge_signal_interrupts(ALWAYS))
        return nanosleep(time, left);
    if (left)
        leave(time, left);
    errno = EINTR;
    return -1;
}

int __selvedge_interrupted_thrd_sleep(const struct timespec *time, struct timespec *left)
{
    if (!__selvedge_signal_interrupts(ALWAYS))
        return thrd_sleep(time, left);
    if (left)
        leave(time, left);
    return -1;
}

int __selvedge_interrupted_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left)
{
    if (!__selvedge_signal_interrupts(ALWAYS))
        return clock_nanosleep(clock, flags, time, left);
    if (left && !(flags & TIMER_ABSTIME))
        leave(time, left);
    return EINTR;
}

// ---- waits of several actions

#define WAIT(name, parameters, arguments) \
    int __selvedge_interrupted_##name parameters \
    { \
        __selvedge_signal_wait_begins(); \
        int result = name arguments; \
        __selvedge_signal_wait_ends(); \
        return result; \
    }

WAIT(pthread_cond_wait, (pthread_cond_t *c, pthread_mutex_t *m), (c, m))
WAIT(pthread_cond_timedwait, (pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *end), (c, m, end))
WAIT(pthread_cond_clockwait, (pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *end), (c, m, clock, end))
WAIT(cnd_wait, (cnd_t *c, mtx_t *m), (c, m))
WAIT(cnd_timedwait, (cnd_t *c, mtx_t *m, const struct timespec *end), (c, m, end))
WAIT(pthread_barrier_wait, (pthread_barrier_t *b), (b))

int __selvedge_futex_wait(unsigned *word, unsigned value, int timed, int own);
int __selvedge_interrupted___selvedge_futex_wait(unsigned *word, unsigned value, int timed, int own)
{
    __selvedge_signal_sleep_begins();
    int result = __selvedge_futex_wait(word, value, timed, own);
    __selvedge_signal_wait_ends();
    return result;
}

// std::condition_variable::wait
void _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(void *c, void *lock);
void __selvedge_interrupted__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(void *c, void *lock)
{
    __selvedge_signal_wait_begins();
    _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(c, lock);
    __selvedge_signal_wait_ends();
}
