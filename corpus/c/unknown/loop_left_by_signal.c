// A handler runs in what would be a loop without end.
// unknown: goes round for ever
#include <pthread.h>
#include <signal.h>

static void handle(int number)
{
    (void)number;
    pthread_exit(0);
}

static void *idle(void *unused)
{
    for (;;) {
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    signal(SIGUSR1, handle);
    pthread_create(&thread, 0, idle, 0);
    pthread_join(thread, 0);
    return 0;
}
