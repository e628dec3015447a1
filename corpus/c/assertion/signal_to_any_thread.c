// A signal to the process is taken by either thread; a thread that blocks it does not take it.
// variant: -DOPEN
// variant: -DBLOCKED verdict(verified)
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

static pthread_t start;
static sem_t handled;

static void handle(int number)
{
    (void)number;
    assert(pthread_equal(pthread_self(), start)); // expect: assertion
    sem_post(&handled);
}

static void *works(void *unused)
{
#ifdef BLOCKED
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
#endif
    kill(getpid(), SIGUSR1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    start = pthread_self();
    sem_init(&handled, 0, 0);
    signal(SIGUSR1, handle);
    pthread_create(&thread, NULL, works, NULL);
    while (sem_wait(&handled) == -1)
        ;
    pthread_join(thread, NULL);
    return 0;
}
