// signal() and sigaction() say what was set before.
#include <assert.h>
#include <errno.h>
#include <signal.h>

int main(void)
{
    struct sigaction action = {0}, before;
    assert(signal(SIGPIPE, SIG_IGN) == SIG_DFL);
    assert(signal(SIGPIPE, SIG_DFL) == SIG_IGN);
    assert(signal(SIGINT, SIG_IGN) == SIG_DFL);
    assert(sigaction(SIGINT, 0, &before) == 0);
    assert(before.sa_handler == SIG_IGN && sigismember(&before.sa_mask, SIGINT));
    action.sa_handler = SIG_DFL;
    sigaddset(&action.sa_mask, SIGUSR2);
    action.sa_flags = SA_NOCLDSTOP;
    assert(sigaction(SIGINT, &action, &before) == 0 && before.sa_handler == SIG_IGN);
    assert(sigaction(SIGINT, 0, &before) == 0 && before.sa_handler == SIG_DFL);
    assert(sigismember(&before.sa_mask, SIGUSR2) && before.sa_flags & SA_NOCLDSTOP);
    assert(sigaction(SIGKILL, &action, 0) == -1 && errno == EINVAL);
    assert(signal(SIGSTOP, SIG_IGN) == SIG_ERR);
    return 0;
}
