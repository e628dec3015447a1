// Sets of signals, as glibc has them: one word of a sigset_t is used. And what a thread sends to itself.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <ucontext.h>
#include <unistd.h>
#include "signals.h"

// Whether there is one thread.
int __selvedge_is_alone(void);
// Whether a thread blocks a signal, or has ended; a fault if there is no such thread any more.
int __selvedge_blocks(pthread_t thread, int number);
// 0; a fault if there is no such thread any more.
int __selvedge_exists(pthread_t thread);
// Whether all threads block a signal.
int __selvedge_all_block(int number);
// Whether a timed wait may time out.
int __selvedge_may_time_out(void);
// What the end of a wait says of the thread's clock.
int __selvedge_wait_ended(long seconds, long nanoseconds, int from_now, int timed_out);

static int outside(int number)
{
    if (number >= 1 && number <= 64)
        return 0;
    errno = EINVAL;
    return 1;
}

// The C library keeps signals 32 and 33 for itself.
static int not_to_be_set(int number)
{
    if (number == 32 || number == 33)
        number = 0;
    return outside(number);
}

int sigemptyset(sigset_t *set)
{
    set->__val[0] = 0;
    return 0;
}

int sigfillset(sigset_t *set)
{
    set->__val[0] = ~(3ul << 31);
    return 0;
}

int sigaddset(sigset_t *set, int number)
{
    if (not_to_be_set(number))
        return -1;
    set->__val[0] |= 1ul << (number - 1);
    return 0;
}

int sigdelset(sigset_t *set, int number)
{
    if (not_to_be_set(number))
        return -1;
    set->__val[0] &= ~(1ul << (number - 1));
    return 0;
}

int sigismember(const sigset_t *set, int number)
{
    if (outside(number))
        return -1;
    return set->__val[0] >> (number - 1) & 1;
}

static void by_default(int number)
{
    switch (number)
    {
    case SIGCHLD: case SIGURG: case SIGWINCH: case SIGCONT:
        return;
    case SIGABRT:
        abort();
    case SIGILL: case SIGTRAP: case SIGBUS: case SIGFPE: case SIGSEGV:
        __selvedge_unsupported("a fault that the program raises itself");
        return;
    case SIGSTOP: case SIGTSTP: case SIGTTIN: case SIGTTOU:
        __selvedge_unsupported("a signal that stops the process");
        return;
    default:
        _exit(128 + number);
    }
}

static const union sigval none;

// Runs the handler of a signal in the thread, or does what happens by default.
int __selvedge_deliver(int number, int code, union sigval value)
{
    struct sigaction action;
    sigset_t before;
    if (sigaction(number, 0, &action))
        return -1;
    pthread_sigmask(SIG_BLOCK, 0, &before);
    if (action.sa_handler == SIG_IGN)
        return RAN_NOTHING;
    if (action.sa_handler == SIG_DFL)
    {
        by_default(number);
        return RAN_NOTHING;
    }
    if (action.sa_flags & (int)SA_RESETHAND)
    {
        if (!__selvedge_is_alone())
            __selvedge_unsupported("SA_RESETHAND while there are several threads");
        signal(number, SIG_DFL);
    }
    unsigned long during = before.__val[0] | action.sa_mask.__val[0] | IN_HANDLER;
    if (!(action.sa_flags & SA_NODEFER))
        during |= 1ul << (number - 1);
    unsigned long after = __selvedge_set_mask(during);
    if (action.sa_flags & SA_SIGINFO)
    {
        siginfo_t info;
        ucontext_t context;
        memset(&info, 0, sizeof info);
        info.si_signo = number;
        info.si_code = code;
        if (code != SI_KERNEL)
        {
            info.si_pid = getpid();
            info.si_uid = getuid();
        }
        if (code == SI_QUEUE)
            info.si_value = value;
        action.sa_sigaction(number, &info, &context);
    }
    else
        action.sa_handler(number);
    __selvedge_set_mask(after);
    return action.sa_flags & SA_RESTART ? RAN_AND_RESTARTS : RAN;
}

// A signal that a thread sends to itself, or to the process while it is alone: delivered before the thread goes on.
static int to_itself(int number, int code, union sigval value)
{
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, 0, &blocked);
    if (sigismember(&blocked, number) == 1)
    {
        if (!__selvedge_delivers() || code == SI_QUEUE)
            __selvedge_unsupported("a signal that is sent while it is blocked");
        __selvedge_keep(number, code == SI_USER);
        return 0;
    }
    return __selvedge_deliver(number, code, value) < 0 ? -1 : 0;
}

int raise(int number)
{
    if (not_to_be_set(number))
        return -1;
    return to_itself(number, SI_TKILL, none);
}

int pthread_kill(pthread_t thread, int number)
{
    int kept = errno;
    if (!pthread_equal(thread, pthread_self()))
    {
        if (number != 0 && not_to_be_set(number))
        {
            errno = kept;
            return EINVAL;
        }
        if (number == 0 || __selvedge_delivers())
        {
            int error = __selvedge_exists(thread);
            if (error == 0 && number != 0)
                __selvedge_send_to_thread(thread, number);
            return error;
        }
        // A signal that is blocked waits for sigwait, to which any signal may come at any time.
        if (!__selvedge_blocks(thread, number))
            __selvedge_unsupported("pthread_kill of another thread, which does not block the signal, in a program that sets no handler and waits for signals, or that cancels threads");
        return 0;
    }
    if (number == 0)
        return 0;
    int result = not_to_be_set(number) || to_itself(number, SI_TKILL, none) ? EINVAL : 0;
    if (result)
        errno = kept;
    return result;
}

// Sends a signal to the process itself.
static int send(pid_t process, int number, int code, union sigval value)
{
    if (process != getpid())
        __selvedge_unsupported("kill of another process");
    if (number == 0)
        return 0;
    if (outside(number))
        return -1;
    if (number == 32 || number == 33)
        __selvedge_unsupported("kill with a signal of the C library");
    if (__selvedge_is_alone())
        return to_itself(number, code, value);
    if (__selvedge_delivers())
    {
        if (code == SI_QUEUE)
            __selvedge_unsupported("sigqueue while there are several threads");
        __selvedge_send_to_process(number);
        return 0;
    }
    if (!__selvedge_all_block(number))
        __selvedge_unsupported("kill of the process while there are several threads, not all of which block the signal, in a program that sets no handler");
    return 0;
}

int kill(pid_t process, int number) { return send(process, number, SI_USER, none); }
int sigqueue(pid_t process, int number, const union sigval value) { return send(process, number, SI_QUEUE, value); }

// Waits for a signal of a set. The world outside may send any of them at any moment, and does so in the end, unless the wait may end
// without one; what threads of the program send each other comes to the same. Others get their turn before.
static int await(const sigset_t *set, int *number, int may_end)
{
    sigset_t blocked;
    int count = may_end;
    pthread_sigmask(SIG_BLOCK, 0, &blocked);
    for (int i = 1; i <= 64; i++)
        count += sigismember(set, i);
    if (count == 0)
        __selvedge_unsupported("sigwait for no signal");
    if (set->__val[0] & ~blocked.__val[0])
        __selvedge_unsupported("sigwait for a signal that the thread does not block");
    sched_yield();
    pthread_testcancel();
    int left = count == 1 ? 0 : __selvedge_outside(count);
    for (int i = 1; i <= 64; i++)
        if (sigismember(set, i) && left-- == 0)
        {
            *number = i;
            if (__selvedge_delivers())
                __selvedge_forget(i);
            return 0;
        }
    return EAGAIN;
}

// A file of signals of a set (crates/vm/src/libc/files/kinds/signals.rs).
int __selvedge_signal_file(unsigned long set, int flags);

int signalfd(int fd, const sigset_t *set, int flags)
{
    sigset_t blocked;
    unsigned long wanted = set->__val[0] & ~(1ul << (SIGKILL - 1) | 1ul << (SIGSTOP - 1));
    pthread_sigmask(SIG_BLOCK, 0, &blocked);
    if (fd != -1)
        __selvedge_unsupported("signalfd that changes the set of a descriptor");
    if (__selvedge_delivers())
        __selvedge_unsupported("signalfd in a program that sets handlers and sends signals");
    if (wanted & ~blocked.__val[0])
        __selvedge_unsupported("signalfd for a signal that the thread does not block");
    return __selvedge_signal_file(wanted, flags);
}

int sigwait(const sigset_t *set, int *number) { return await(set, number, 0); }

int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info, const struct timespec *restrict time)
{
    int number;
    if (info)
        __selvedge_unsupported("sigtimedwait with information");
    if (time && (time->tv_sec < 0 || time->tv_nsec < 0 || time->tv_nsec >= 1000000000))
    {
        errno = EINVAL;
        return -1;
    }
    if (__selvedge_delivers() && __selvedge_signal_interrupts(0))
    {
        errno = EINTR;
        return -1;
    }
    int at_once = time && time->tv_sec == 0 && time->tv_nsec == 0;
    long seconds = time ? time->tv_sec : 0, nanoseconds = time ? time->tv_nsec : 0;
    int error = await(set, &number, at_once || (time && __selvedge_may_time_out()));
    if (time)
        __selvedge_wait_ended(seconds, nanoseconds, 1, error == EAGAIN);
    if (error)
        errno = error;
    return error ? -1 : number;
}

// Only a signal that is blocked can be pending. Which of these are is not known.
int sigpending(sigset_t *set)
{
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, 0, &blocked);
    if (blocked.__val[0])
        __selvedge_unsupported("sigpending while the thread blocks signals");
    return sigemptyset(set);
}

int killpg(pid_t group, int number)
{
    if (group < 0)
    {
        errno = EINVAL;
        return -1;
    }
    if (group != 0 && group != getpgrp())
        __selvedge_unsupported("killpg of another group");
    return kill(getpid(), number);
}

static const char texts[32][28] = {"", "Hangup", "Interrupt", "Quit", "Illegal instruction", "Trace/breakpoint trap", "Aborted",
    "Bus error", "Floating point exception", "Killed", "User defined signal 1", "Segmentation fault", "User defined signal 2",
    "Broken pipe", "Alarm clock", "Terminated", "Stack fault", "Child exited", "Continued", "Stopped (signal)", "Stopped",
    "Stopped (tty input)", "Stopped (tty output)", "Urgent I/O condition", "CPU time limit exceeded", "File size limit exceeded",
    "Virtual timer expired", "Profiling timer expired", "Window changed", "I/O possible", "Power failure", "Bad system call"};

char *strsignal(int number)
{
    static _Thread_local char text[32];
    if (number >= 1 && number < 32)
        return strcpy(text, texts[number]);
    if (number >= 34 && number <= 64)
        sprintf(text, "Real-time signal %d", number - 34);
    else
        sprintf(text, "Unknown signal %d", number);
    return text;
}

void psignal(int number, const char *prefix)
{
    int separates = prefix && *prefix;
    fprintf(stderr, "%s%s%s\n", separates ? prefix : "", separates ? ": " : "", strsignal(number));
}

int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
    int number;
    if (info)
        __selvedge_unsupported("sigwaitinfo with information");
    if (__selvedge_delivers() && __selvedge_signal_interrupts(0))
    {
        errno = EINTR;
        return -1;
    }
    int error = sigwait(set, &number);
    if (error)
        errno = error;
    return error ? -1 : number;
}

#define AUTODISARM ((int)(1u << 31))
// Which stack handlers run on makes no difference: locals have their own memory each.
int sigaltstack(const stack_t *restrict wanted, stack_t *restrict old)
{
    static _Thread_local stack_t stack = {.ss_flags = SS_DISABLE};
    if (wanted && wanted->ss_flags & ~(SS_DISABLE | SS_ONSTACK | AUTODISARM))
    {
        errno = EINVAL;
        return -1;
    }
    if (wanted && !(wanted->ss_flags & SS_DISABLE) && wanted->ss_size < 2048) // MINSIGSTKSZ
    {
        errno = ENOMEM;
        return -1;
    }
    stack_t before = stack;
    if (wanted && wanted->ss_flags & SS_DISABLE)
        stack = (stack_t){.ss_flags = SS_DISABLE};
    else if (wanted)
        stack = (stack_t){wanted->ss_sp, wanted->ss_flags & AUTODISARM, wanted->ss_size};
    if (old)
        *old = before;
    return 0;
}
