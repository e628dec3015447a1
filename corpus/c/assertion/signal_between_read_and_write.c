// A handler runs between the read and the write of an addition, which then overwrites what it did.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static volatile int count;
static sem_t sent;

static void handle(int number)
{
    (void)number;
    count += 10;
}

static void *works(void *unused)
{
    count++;
    while (sem_wait(&sent) == -1)
        ;
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&sent, 0, 0);
    signal(SIGUSR1, handle);
    pthread_create(&thread, NULL, works, NULL);
    pthread_kill(thread, SIGUSR1);
    sem_post(&sent);
    pthread_join(thread, NULL);
    assert(count != 1); // expect: assertion
    return 0;
}
