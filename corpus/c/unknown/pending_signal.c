// A signal that a thread blocks is pending once another thread has sent it.
// unknown: sigpending while the thread blocks signals
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static pthread_t first;

static void *send(void *unused)
{
    pthread_kill(first, SIGUSR1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sigset_t set;
    first = pthread_self();
    assert(sigpending(&set) == 0 && !sigismember(&set, SIGUSR1));
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&thread, 0, send, 0);
    pthread_join(thread, 0);
    sigpending(&set);
    assert(!sigismember(&set, SIGUSR1)); // fails
    return 0;
}
