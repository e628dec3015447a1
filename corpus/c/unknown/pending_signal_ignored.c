// A signal that waits while it is blocked is lost when it is ignored, and a system may keep one that is sent to a thread
// that blocks it while it is ignored.
// unknown: signal that
// variant: -DFIRST=0
// variant: -DFIRST=1
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static int ran;

static void handler(int number)
{
    (void)number;
    ran = 1;
}

static void *nothing(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t thread;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    signal(SIGUSR1, FIRST ? SIG_IGN : handler);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&thread, 0, nothing, 0);
    pthread_kill(pthread_self(), SIGUSR1);
    if (!FIRST)
        signal(SIGUSR1, SIG_IGN);
    signal(SIGUSR1, handler);
    pthread_sigmask(SIG_UNBLOCK, &set, 0);
    pthread_join(thread, 0);
    assert(ran == FIRST);
    return 0;
}
