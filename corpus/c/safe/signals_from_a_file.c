// A thread reads signals from a file, others go on meanwhile; whether one has come is open.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static sigset_t set;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int seen;

static void *reads(void *unused)
{
    struct signalfd_siginfo info;
    int fd = signalfd(-1, &set, SFD_CLOEXEC);
    assert(fd > 2 && fcntl(fd, F_GETFD) == FD_CLOEXEC);
    assert(read(fd, &info, 5) == -1 && errno == EINVAL);
    assert(read(fd, &info, sizeof info) == sizeof info);
    assert(info.ssi_signo == SIGTERM || info.ssi_signo == SIGUSR1);
    pthread_mutex_lock(&lock);
    seen = (int)info.ssi_signo;
    pthread_mutex_unlock(&lock);
    close(fd);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct signalfd_siginfo info;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&thread, 0, reads, 0);
    int fd = signalfd(-1, &set, SFD_NONBLOCK);
    struct pollfd first = {fd, POLLIN, 0};
    int ready = poll(&first, 1, 0);
    ssize_t got = read(fd, &info, sizeof info);
    assert(got == sizeof info || (got == -1 && errno == EAGAIN));
    assert(!ready || got == sizeof info);
    pthread_join(thread, 0);
    assert(seen == SIGTERM || seen == SIGUSR1);
    return 0;
}
