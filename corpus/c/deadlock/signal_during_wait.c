// A handler that runs in the middle of a wait for a condition variable does not end the wait.
// options: --spurious-wakeups off
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static volatile sig_atomic_t done;
static int waiting;

static void handle(int number)
{
    (void)number;
    done = 1;
}

static void *waits(void *unused)
{
    pthread_mutex_lock(&lock);
    waiting = 1;
    while (!done)
        pthread_cond_wait(&changed, &lock); // expect: deadlock
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int ready = 0;
    signal(SIGUSR1, handle);
    pthread_create(&thread, NULL, waits, NULL);
    pthread_mutex_lock(&lock);
    ready = waiting;
    pthread_mutex_unlock(&lock);
    if (!ready)
        return 0;
    // Now it waits: the handler runs nowhere else.
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL); // expect: deadlock
    return 0;
}
