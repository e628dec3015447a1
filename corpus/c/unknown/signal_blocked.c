// A signal that is blocked would wait until it is not.
// unknown: a signal that is sent while it is blocked
#include <signal.h>

static void handler(int number)
{
    (void)number;
}

int main(void)
{
    sigset_t set;
    signal(SIGUSR1, handler);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, 0);
    raise(SIGUSR1);
    return 0;
}
