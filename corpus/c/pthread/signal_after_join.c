// A signal for a thread that was joined.
#include <pthread.h>
#include <signal.h>

static void *works(void *p) { return p; }

int main(void)
{
    pthread_t t;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&t, NULL, works, NULL);
    pthread_join(t, NULL);
    pthread_kill(t, SIGUSR1); // expect: pthread.invalid-thread
    return 0;
}
