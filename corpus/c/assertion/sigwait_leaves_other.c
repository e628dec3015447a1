// A signal was sent to the thread, and to the process. sigwait takes the first, as in Linux. The
// handler runs for the second.
// variant: -DBOTH
// variant: -DONE verdict(verified)
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t runs;

static void handle(int number)
{
    (void)number;
    runs++;
}

static void *works(void *unused) { return unused; }

int main(void)
{
    struct sigaction action = {.sa_handler = handle};
    pthread_t thread;
    sigset_t set;
    int number;
    sigaction(SIGUSR1, &action, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, works, NULL);
    pthread_kill(pthread_self(), SIGUSR1);
#ifndef ONE
    kill(getpid(), SIGUSR1);
#endif
    sigwait(&set, &number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    pthread_join(thread, NULL);
    assert(runs == 0); // expect: assertion
    return 0;
}
