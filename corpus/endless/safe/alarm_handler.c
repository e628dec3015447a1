// The handler of a timer ends a loop that waits for nothing else.
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t rang;
static void ring(int number) { rang = number; }

int main(void)
{
    signal(SIGALRM, ring);
    alarm(1);
    while (!rang)
        ;
    return 0;
}
