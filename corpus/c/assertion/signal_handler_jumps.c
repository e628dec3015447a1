// A handler jumps out of a function between two writes to its local variables.
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

static sigjmp_buf begin;
static pthread_t start;

static void jump(int number)
{
    (void)number;
    siglongjmp(begin, 1);
}

static void *sends(void *unused)
{
    pthread_kill(start, SIGUSR1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sigset_t all;
    volatile int first = 0, second = 0;
    start = pthread_self();
    signal(SIGUSR1, jump);
    if (sigsetjmp(begin, 1) == 0)
    {
        pthread_create(&thread, NULL, sends, NULL);
        first = 1;
        second = 1;
    }
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    assert(first == second); // expect: assertion
    return 0;
}
