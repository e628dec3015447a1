// A handler runs where it is called: in another thread, by who has asked for it.
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static int written, seen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void handler(int number)
{
    pthread_mutex_lock(&lock);
    written = number;
    pthread_mutex_unlock(&lock);
}

static void *worker(void *argument)
{
    struct sigaction action;
    sigaction(SIGUSR1, 0, &action);
    action.sa_handler(1);
    return argument;
}

int main(void)
{
    pthread_t thread;
    signal(SIGUSR1, handler);
    pthread_create(&thread, 0, worker, 0);
    pthread_mutex_lock(&lock);
    seen = written;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    assert(seen == 0); // expect: assertion
    return 0;
}
