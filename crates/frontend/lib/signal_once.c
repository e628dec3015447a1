// What `signal` is under other names: that of System V for programs that ask for POSIX or X/Open
// alone, whose handlers run once and may be interrupted by the same signal.
#define _GNU_SOURCE
#include <signal.h>

sighandler_t __sysv_signal(int number, sighandler_t handler)
{
    struct sigaction new = {.sa_flags = SA_RESETHAND | SA_NODEFER}, old;
    new.sa_handler = handler;
    sigemptyset(&new.sa_mask);
    return sigaction(number, &new, &old) == 0 ? old.sa_handler : SIG_ERR;
}

sighandler_t sysv_signal(int number, sighandler_t handler) { return __sysv_signal(number, handler); }

sighandler_t bsd_signal(int number, sighandler_t handler) { return signal(number, handler); }

sighandler_t ssignal(int number, sighandler_t handler) { return signal(number, handler); }
