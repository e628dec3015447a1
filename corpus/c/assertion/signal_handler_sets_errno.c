// A handler that does not save errno runs between a call that fails and the look at its reason.
// variant: -DRAISES
// variant: -DSAVES verdict(verified)
// variant: -DWRITES
// variant: -DWRITES -DSAVES verdict(verified)
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

static sem_t taken;

static void handle(int number)
{
    (void)number;
#ifdef SAVES
    int kept = errno;
#endif
#ifdef WRITES
    (void)!write(-1, NULL, 0);
#else
    raise(100);
#endif
#ifdef SAVES
    errno = kept;
#endif
}

static void *tries(void *unused)
{
    if (sem_trywait(&taken) != 0)
        assert(errno == EAGAIN); // expect: assertion
    return unused;
}

int main(void)
{
    struct sigaction action = {.sa_handler = handle};
    pthread_t thread;
    sem_init(&taken, 0, 0);
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, tries, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    return 0;
}
