// Whether the write to the broken pipe ends the process is up to the order of two threads.
// unknown: an action of a signal that one thread changes, and another one uses
// variant: -DWRITES
// variant: -DLOOKS
// variant: -DCHANGES
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int ends[2];

static void *other(void *unused)
{
#ifdef LOOKS
    struct sigaction action;
    sigaction(SIGPIPE, 0, &action);
#elif defined CHANGES
    signal(SIGPIPE, SIG_IGN);
#else
    write(ends[1], "x", 1);
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef WRITES
    signal(SIGPIPE, SIG_IGN);
#endif
    pipe(ends);
    close(ends[0]);
    pthread_create(&thread, 0, other, 0);
#ifdef WRITES
    signal(SIGPIPE, SIG_DFL);
#else
    signal(SIGPIPE, SIG_IGN);
#endif
    pthread_join(thread, 0);
    return 0;
}
