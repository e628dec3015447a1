// A signal without a handler ends the process, also while its thread waits for ever: nothing behind that wait is reached. One that
// is ignored by default changes nothing, nor does one that is blocked until its thread ends.
// variant: -DNUMBER=SIGTERM
// variant: -DNUMBER=SIGURG
// variant: -DNUMBER=SIGUSR1 -DBLOCKED
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static sem_t never;
static int came;

static void *waits(void *unused)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &set, 0);
    if (NUMBER == SIGTERM)
        sem_wait(&never);
    came = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    sigset_t all, before;
    sem_init(&never, 0, 0);
    sigfillset(&all);
#ifdef BLOCKED
    pthread_sigmask(SIG_SETMASK, &all, &before);
#else
    pthread_sigmask(SIG_SETMASK, 0, &before);
#endif
    pthread_create(&thread, 0, waits, 0);
    pthread_sigmask(SIG_SETMASK, &before, 0);
    assert(pthread_kill(thread, NUMBER) == 0);
    pthread_join(thread, 0);
    assert(came && NUMBER != SIGTERM);
    return 0;
}
