// A handler lets another thread look at what it has interrupted, and waits for it.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static pthread_t start;
static sem_t asked, answered;
static int first, second;

static void ask(int number)
{
    (void)number;
    sem_post(&asked);
    while (sem_wait(&answered) == -1)
        ;
}

static void *looks(void *unused)
{
    pthread_kill(start, SIGUSR1);
    while (sem_wait(&asked) == -1)
        ;
    assert(first == second); // expect: assertion
    sem_post(&answered);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&asked, 0, 0);
    sem_init(&answered, 0, 0);
    start = pthread_self();
    signal(SIGUSR1, ask);
    pthread_create(&thread, NULL, looks, NULL);
    first = 1;
    second = 1;
    pthread_join(thread, NULL);
    return 0;
}
