// A thread waits for the signal that another one sends it, which all threads block.
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static sigset_t set;

static void *waits(void *p)
{
    int number = 0;
    int error = sigwait(&set, &number);
    assert(error == 0 && number == SIGUSR1);
    return p;
}

int main(void)
{
    pthread_t t;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&t, NULL, waits, NULL);
    int error = pthread_kill(t, SIGUSR1);
    assert(error == 0);
    pthread_join(t, NULL);
    return 0;
}
