// Rounds through longjmp, out of several calls; the mask of signals is restored where it was asked for.
#include <assert.h>
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf top;

static void deeper(int n, int round)
{
    int local[4] = {n, round, n + round, 0};
    if (n == 0)
        siglongjmp(top, round + 1);
    deeper(n - 1, local[1]);
}

int main(void)
{
    sigset_t mask, now;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    int start = 5;
    int round = sigsetjmp(top, 1);
    sigprocmask(SIG_BLOCK, 0, &now);
    assert(!sigismember(&now, SIGUSR1));
    assert(start == 5);
    if (round < 3) {
        sigprocmask(SIG_BLOCK, &mask, 0);
        deeper(round, round);
    }
    assert(round == 3);
    return 0;
}
