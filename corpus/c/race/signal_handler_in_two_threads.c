// What handlers do is done by the thread that runs them.
#include <pthread.h>
#include <signal.h>

static int count;

static void handler(int number)
{
    count += number; // expect: data-race
}

static void *worker(void *argument)
{
    raise(SIGUSR1);
    return argument;
}

int main(void)
{
    pthread_t thread;
    signal(SIGUSR1, handler);
    pthread_create(&thread, 0, worker, 0);
    raise(SIGUSR1);
    pthread_join(thread, 0);
    return 0;
}
