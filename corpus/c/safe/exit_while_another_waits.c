// The process ends while a thread still waits for ever: that is no deadlock.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t never;

static void *wait_for_ever(void *unused)
{
    sem_wait(&never);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&never, 0, 0);
    pthread_create(&thread, 0, wait_for_ever, 0);
    exit(0);
}
