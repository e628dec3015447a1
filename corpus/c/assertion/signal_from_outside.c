// A thread waits for two signals and expects the one that the program sends; the other may come from outside.
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static sigset_t set;

static void *waits(void *p)
{
    int number = 0;
    sigwait(&set, &number);
    assert(number == SIGUSR1); // expect: assertion
    return p;
}

int main(void)
{
    pthread_t t;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&t, NULL, waits, NULL);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, NULL);
    return 0;
}
