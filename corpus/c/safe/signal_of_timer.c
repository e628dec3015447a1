// A handler is told that a timer has sent the signal, as Linux says it, or that kill has.
// variant: -DALARM
// variant: -DKILLS
#define _GNU_SOURCE
#include <assert.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t runs;

static void handle(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    runs++;
#ifdef KILLS
    assert(info->si_code == SI_USER && info->si_pid == getpid());
#else
    assert(info->si_code == SI_KERNEL && info->si_pid == 0);
#endif
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    sigset_t set, none;
    sigaction(SIGALRM, &action, NULL);
    sigemptyset(&set);
    sigemptyset(&none);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_BLOCK, &set, NULL);
#ifdef KILLS
    kill(getpid(), SIGALRM);
#else
    alarm(1);
#endif
    while (runs == 0)
        sigsuspend(&none);
    return 0;
}
