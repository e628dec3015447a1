// Handlers run for what the program raises itself, at once, with their signals blocked meanwhile.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t seen, depth;

static void once(int number)
{
    sigset_t mask;
    sigprocmask(SIG_BLOCK, 0, &mask);
    assert(sigismember(&mask, SIGUSR1) && !sigismember(&mask, SIGTERM));
    seen += number;
}

static void informed(int number, siginfo_t *info, void *context)
{
    (void)context;
    assert(info->si_signo == number && info->si_pid == getpid());
    if (depth++ == 0)
        raise(SIGUSR1);
}

static void *other(void *argument)
{
    // A mask of its own; the handler is the process's.
    pthread_kill(pthread_self(), SIGUSR2);
    return argument;
}

int main(void)
{
    struct sigaction action = {0};
    assert(signal(SIGUSR1, once) == SIG_DFL && signal(SIGUSR1, once) == once);
    assert(raise(SIGUSR1) == 0 && seen == SIGUSR1);
    action.sa_sigaction = informed;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    assert(sigaction(SIGUSR2, &action, 0) == 0);
    assert(kill(getpid(), SIGUSR2) == 0 && seen == 2 * SIGUSR1 && depth == 1);
    assert(raise(SIGCHLD) == 0 && raise(0) == -1 && kill(getpid(), 0) == 0);
    signal(SIGINT, SIG_IGN);
    assert(raise(SIGINT) == 0);
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    pthread_join(thread, 0);
    assert(depth == 2);
    // Set, and never run: nobody outside sends it.
    signal(SIGTERM, once);
    kill(getpid(), SIGHUP);
    assert(0);
}
