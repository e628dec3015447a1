// A wait for a signal is a cancellation point; the signal may come first.
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static sigset_t set;

static void *waits(void *p)
{
    int number;
    sigwait(&set, &number);
    return p;
}

int main(void)
{
    pthread_t t;
    void *result;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&t, 0, waits, 0);
    pthread_cancel(t);
    pthread_join(t, &result);
    assert(result != PTHREAD_CANCELED); // expect: assertion
    return 0;
}
