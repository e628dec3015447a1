// A handler ends its thread between two writes that it has nothing to do with.
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static int first, second;

static void leave(int number)
{
    (void)number;
    pthread_exit(NULL);
}

static void *writes(void *unused)
{
    sigset_t all;
    first = 1;
    second = 1;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    return unused;
}

int main(void)
{
    pthread_t thread;
    signal(SIGUSR1, leave);
    pthread_create(&thread, NULL, writes, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    assert(first == second); // expect: assertion
    return 0;
}
