// Which signal of the set comes is open, and whether one has come.
// variant: -DHOLDS=ready
// variant: -DHOLDS=!ready
// variant: -DHOLDS=info.ssi_signo!=SIGINT
#include <assert.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

int main(void)
{
    sigset_t set;
    struct signalfd_siginfo info;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, 0);
    int fd = signalfd(-1, &set, 0);
    struct pollfd first = {fd, POLLIN, 0};
    int ready = poll(&first, 1, 100);
    assert(read(fd, &info, sizeof info) == sizeof info);
    assert(HOLDS); // expect: assertion
    return 0;
}
