// A thread has its creator's mask of signals, and each has its own.
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static void *work(void *unused)
{
    sigset_t now, all;
    assert(pthread_sigmask(SIG_BLOCK, 0, &now) == 0);
    assert(sigismember(&now, SIGINT) && sigismember(&now, SIGUSR1) && !sigismember(&now, SIGKILL));
    sigfillset(&all);
    assert(pthread_sigmask(SIG_UNBLOCK, &all, &now) == 0);
    assert(pthread_sigmask(SIG_SETMASK, 0, &now) == 0 && !sigismember(&now, SIGINT));
    return unused;
}

int main(void)
{
    pthread_t thread;
    sigset_t all, before, after;
    assert(sigfillset(&all) == 0);
    assert(pthread_sigmask(SIG_SETMASK, &all, &before) == 0);
    assert(!sigismember(&before, SIGINT));
    assert(pthread_atfork(0, 0, 0) == 0);
    pthread_create(&thread, 0, work, 0);
    assert(sigprocmask(SIG_SETMASK, &before, &after) == 0);
    assert(sigismember(&after, SIGTERM) && !sigismember(&after, SIGSTOP));
    assert(sigprocmask(77, &before, 0) == -1 && pthread_sigmask(77, &before, 0) != 0);
    pthread_join(thread, 0);
    sigemptyset(&all);
    assert(sigaddset(&all, SIGHUP) == 0 && sigismember(&all, SIGHUP) == 1 && sigdelset(&all, SIGHUP) == 0);
    assert(sigismember(&all, SIGHUP) == 0 && sigaddset(&all, 65) == -1);
    return 0;
}
