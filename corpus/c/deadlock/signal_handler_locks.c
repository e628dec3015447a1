// A handler takes a lock that its thread may hold. It may not, if the signal is blocked meanwhile.
// variant: -DOPEN
// variant: -DBLOCKED verdict(verified)
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void handle(int number)
{
    (void)number;
    pthread_mutex_lock(&lock); // expect: deadlock
    count++;
    pthread_mutex_unlock(&lock);
}

static void *works(void *unused)
{
#ifdef BLOCKED
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
#endif
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
#ifdef BLOCKED
    pthread_sigmask(SIG_SETMASK, &before, NULL);
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
    signal(SIGUSR1, handle);
    pthread_create(&thread, NULL, works, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL); // expect: deadlock
    return 0;
}
