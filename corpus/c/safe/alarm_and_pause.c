// A timer goes off at any moment, or not at all once it is set again.
#include <assert.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t rings;

static void ring(int number)
{
    rings += number == SIGALRM;
}

int main(void)
{
    sigset_t set, before;
    signal(SIGALRM, ring);
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_BLOCK, &set, &before);
    alarm(1);
    while (!rings)
        sigsuspend(&before);
    alarm(1);
    alarm(0);
    assert(rings == 1);
    return 0;
}
