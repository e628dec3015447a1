// The signal may arrive between the test and pause, which then waits for ever.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t done;

static void handle(int number)
{
    (void)number;
    done = 1;
}

static void *waits(void *unused)
{
    while (!done)
        pause(); // expect: deadlock
    return unused;
}

int main(void)
{
    struct sigaction action = {.sa_handler = handle};
    pthread_t thread;
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, waits, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL); // expect: deadlock
    return 0;
}
