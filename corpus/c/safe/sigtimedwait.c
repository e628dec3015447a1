// A wait for a signal with a time-out ends either way.
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

int main(void)
{
    sigset_t set;
    struct timespec time = {1, 0}, bad = {0, -1};
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    assert(sigtimedwait(&set, NULL, &bad) == -1 && errno == EINVAL);
    int number = sigtimedwait(&set, NULL, &time);
    assert(number == SIGTERM || number == SIGUSR1 || (number == -1 && errno == EAGAIN));
    return 0;
}
