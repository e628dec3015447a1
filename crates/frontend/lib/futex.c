// The system call futex: what `syscall(SYS_futex, …)` becomes. C++20's waiting on atomics, its semaphores, latches and barriers are made of it,
// and so are the locks of Rust. The machine has the waits and the wakeups (crates/vm/src/sync/futex.rs); here is what belongs to the call.
#include <errno.h>
#include <linux/futex.h>
#include <time.h>

void __selvedge_unsupported(const char *what);
int __selvedge_futex_wait_until(unsigned *word, unsigned value, int ends, long seconds, long nanoseconds, int from_now, int own);

// Waits if the word has this value; 0, EAGAIN, or ETIMEDOUT. `own`: FUTEX_PRIVATE_FLAG was given. Calls with it and calls without it do not meet.
int __selvedge_futex_wait(unsigned *word, unsigned value, int timed, int own);
// What the end of a wait says of the thread's clock (crates/vm/src/libc/deadline.rs).
int __selvedge_wait_ended(long seconds, long nanoseconds, int from_now, int timed_out);
// Wakes one thread, or all, if there are no more than `most`; how many they were.
int __selvedge_futex_wake(unsigned *word, unsigned most, int timed, int own);
int __selvedge_futex_wake_many(unsigned *word, unsigned most, int timed, int own);

// POSIX leaves open what errno is after a call that succeeds. Here it is what a wait that fails at once leaves there. So a thread that woke for no
// reason, and one that found another value, are in the same state if nobody looks at the result, and what follows is explored once.
//
// Numbers, not a structure: a thread that waits again has to come back to the same memory (crates/vm/src/causeless.rs). libstdc++'s futures wait
// here, too (cxx_thread.cc).
int __selvedge_futex_wait_until(unsigned *word, unsigned value, int ends, long seconds, long nanoseconds, int from_now, int own)
{
    if (ends && (seconds < 0 || (unsigned long)nanoseconds >= 1000000000))
        return EINVAL;
    // A time that is decades away does not come, as in crates/vm/src/libc/deadline.rs.
    int comes = ends && seconds < 1700000000 + (1l << 31);
    errno = EAGAIN;
    int error = __selvedge_futex_wait(word, value, comes, own);
    if (ends)
        __selvedge_wait_ended(seconds, nanoseconds, from_now, error == ETIMEDOUT);
    return error;
}

// It may time out at any moment, whatever the end is.
static int wait_on(unsigned *word, unsigned value, const struct timespec *end, int from_now, int own)
{
    return __selvedge_futex_wait_until(word, value, end != 0, end ? end->tv_sec : 0, end ? end->tv_nsec : 0, from_now, own);
}

// Linux counts after each thread that it wakes: a negative number wakes one, as 1 does. So does 0, but futex(2) says that it wakes nobody.
static long wake(unsigned *word, int most, int own)
{
    if (most == 0)
        __selvedge_unsupported("the system call futex that wakes no thread");
    if (most <= 1)
        return __selvedge_futex_wake(word, 1, 0, own);
    return __selvedge_futex_wake_many(word, most, 0, own);
}

// What a caller does not give is 0.
long __selvedge_futex(long number, unsigned *word, int operation, unsigned value, const struct timespec *end, unsigned *other, unsigned bits)
{
    (void)number;
    (void)other;
    int error = 0, own = (operation & FUTEX_PRIVATE_FLAG) != 0;
    long woken = 0;
    switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAKE:
        woken = wake(word, value, own);
        break;
    case FUTEX_WAIT:
        error = wait_on(word, value, end, 1, own);
        break;
    case FUTEX_WAIT_BITSET:
        if (bits != FUTEX_BITSET_MATCH_ANY)
            __selvedge_unsupported("the system call futex with a set of bits");
        error = wait_on(word, value, end, 0, own);
        break;
    default:
        __selvedge_unsupported("an operation of the system call futex");
    }
    if (error) {
        errno = error;
        return -1;
    }
    return woken;
}
