// Threads send themselves a signal, each with its handler's run; a handler that runs is no change of a mask for good.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static _Thread_local int seen;

static void handler(int number)
{
    sigset_t mask;
    assert(pthread_sigmask(SIG_BLOCK, 0, &mask) == 0);
    assert(sigismember(&mask, number) == 1 && sigismember(&mask, SIGUSR2) == 0);
    seen += number;
}

static void *work(void *argument)
{
    sigset_t mask;
    assert(pthread_kill(pthread_self(), SIGUSR1) == 0);
    assert(seen == SIGUSR1);
    assert(pthread_sigmask(SIG_BLOCK, 0, &mask) == 0);
    assert(sigismember(&mask, SIGUSR1) == 0);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    assert(signal(SIGUSR1, handler) != SIG_ERR);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, 0);
    assert(pthread_kill(pthread_self(), SIGUSR1) == 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    assert(kill(getpid(), SIGUSR1) == 0);
    assert(seen == 2 * SIGUSR1);
    return 0;
}
