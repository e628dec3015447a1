// SIGPIPE is ignored while a thread runs that writes to no pipe; the thread that writes to one is created later.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int lines, ends[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *writes_lines(void *unused)
{
    pthread_mutex_lock(&m);
    lines++;
    pthread_mutex_unlock(&m);
    return unused;
}

static void *writes_to_the_pipe(void *unused)
{
    assert(write(ends[1], "x", 1) == -1 && errno == EPIPE);
    return unused;
}

int main(void)
{
    pthread_t log, worker;
    pthread_create(&log, 0, writes_lines, 0);
    assert(signal(SIGPIPE, SIG_IGN) == SIG_DFL);
    assert(pipe(ends) == 0);
    close(ends[0]);
    pthread_create(&worker, 0, writes_to_the_pipe, 0);
    pthread_join(worker, 0);
    pthread_join(log, 0);
    assert(signal(SIGPIPE, SIG_DFL) == SIG_IGN && lines == 1);
    return 0;
}
