// A handler interrupts the wait for a semaphore; with SA_RESTART it does not.
// variant: -DINTERRUPTS
// variant: -DRESTARTS verdict(verified)
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static sem_t posted;

static void handle(int number)
{
    (void)number;
    sem_post(&posted);
}

static void *waits(void *unused)
{
    assert(sem_wait(&posted) == 0 || errno != EINTR); // expect: assertion
    return unused;
}

int main(void)
{
#ifdef RESTARTS
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
#else
    struct sigaction action = {.sa_handler = handle};
#endif
    pthread_t thread;
    sem_init(&posted, 0, 0);
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, waits, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    return 0;
}
