// A signal for a thread that does not block it runs a handler there, or ends the process.
// unknown: does not block the signal, in a program that sets no handler
#include <pthread.h>
#include <signal.h>

static void *works(void *p) { return p; }

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, works, NULL);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, NULL);
    return 0;
}
