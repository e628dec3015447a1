// Where threads wait for signals and the program sets no handler, a signal is only sent to threads that block it.
// unknown: does not block the signal, in a program that sets no handler and waits for signals
#include <pthread.h>
#include <signal.h>

static void *works(void *p) { return p; }

int main(void)
{
    pthread_t t;
    sigset_t set;
    int number;
    pthread_create(&t, NULL, works, NULL);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    sigwait(&set, &number);
    return 0;
}
