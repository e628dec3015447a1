// unknown: a handler of signal 14, in a program that calls alarm
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
