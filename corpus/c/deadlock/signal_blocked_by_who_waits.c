// The signal would end the process, but the thread that it was sent to blocks it and waits for ever.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static sem_t never;

static void *waits(void *unused)
{
    sem_wait(&never); // expect: deadlock
    return unused;
}

int main(void)
{
    pthread_t thread;
    sigset_t set;
    sem_init(&never, 0, 0);
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&thread, 0, waits, 0);
    pthread_sigmask(SIG_UNBLOCK, &set, 0);
    pthread_kill(thread, SIGTERM);
    pthread_join(thread, 0); // expect: deadlock
    return 0;
}
