// The thread that waits for signals and main write the same variable; a signal may come at any moment.
#include <pthread.h>
#include <signal.h>

static sigset_t set;
static int stopped;

static void *waits(void *p)
{
    int number;
    sigwait(&set, &number);
    stopped = number; // expect: data-race
    return p;
}

int main(void)
{
    pthread_t t;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&t, NULL, waits, NULL);
    stopped = 0; // expect: data-race
    pthread_kill(t, SIGTERM);
    pthread_join(t, NULL);
    return 0;
}
