// A thread waits for a signal without losing it: the signal is blocked but in sigsuspend.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>

static volatile sig_atomic_t done;

static void handle(int number)
{
    done += number == SIGUSR1;
}

static void *waits(void *unused)
{
    sigset_t none;
    sigemptyset(&none);
    while (!done)
        assert(sigsuspend(&none) == -1 && errno == EINTR);
    assert(done == 1);
    return unused;
}

int main(void)
{
    struct sigaction action = {.sa_handler = handle};
    sigset_t set;
    pthread_t thread;
    sigaction(SIGUSR1, &action, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, waits, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    return 0;
}
