// The system call futex: what `syscall(SYS_futex, …)` becomes. C++20's waiting on atomics, its semaphores, latches and barriers are made of it,
// and so are the locks of Rust. The machine has the waits and the wakeups (crates/vm/src/sync/futex.rs); here is what belongs to the call.
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <time.h>

void __selvedge_unsupported(const char *what);

// Waits if the word has this value; 0, EAGAIN, or ETIMEDOUT.
int __selvedge_futex_wait(unsigned *word, unsigned value, int timed);
// Wakes one thread, or all; how many they were.
int __selvedge_futex_wake(unsigned *word);
int __selvedge_futex_wake_all(unsigned *word);

// POSIX leaves open what errno is after a call that succeeds. Here it is what a wait that fails at once leaves there. So a thread that woke for no
// reason, and one that found another value, are in the same state if nobody looks at the result, and what follows is explored once.
static int wait_on(unsigned *word, unsigned value, const struct timespec *end)
{
    if (end)
        (void)*(const volatile struct timespec *)end; // It may time out at any moment, whatever the end.
    errno = EAGAIN;
    return __selvedge_futex_wait(word, value, end != 0);
}

// Who begins to wait while several threads are being woken, and is woken, too, has woken for no reason, which is allowed.
static long wake(unsigned *word, unsigned most)
{
    if (most >= INT_MAX)
        return __selvedge_futex_wake_all(word);
    long woken = 0;
    while (woken < most && __selvedge_futex_wake(word))
        woken++;
    return woken;
}

// What a caller does not give is 0.
long __selvedge_futex(long number, unsigned *word, int operation, unsigned value, const struct timespec *end, unsigned *other, unsigned bits)
{
    (void)number;
    (void)other;
    int error = 0;
    long woken = 0;
    switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAKE:
        woken = wake(word, value);
        break;
    case FUTEX_WAIT:
        error = wait_on(word, value, end);
        break;
    case FUTEX_WAIT_BITSET:
        if (bits != FUTEX_BITSET_MATCH_ANY)
            __selvedge_unsupported("the system call futex with a set of bits");
        error = wait_on(word, value, end);
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
