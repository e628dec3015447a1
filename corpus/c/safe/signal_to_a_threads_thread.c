// A signal is sent to a thread that another thread has created, and one to the process.
// variant: -DTO=pthread_kill(second,SIGUSR1)
// variant: -DTO=kill(getpid(),SIGUSR1)
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static pthread_t first, second;
static atomic_int handled;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void handler(int number)
{
    (void)number;
    atomic_fetch_add(&handled, 1);
}

static void *works(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *creates(void *unused)
{
    pthread_create(&second, 0, works, 0);
    assert(TO == 0);
    pthread_join(second, 0);
    return unused;
}

int main(void)
{
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, 0);
    pthread_create(&first, 0, creates, 0);
    pthread_join(first, 0);
    assert(handled <= 1);
    return 0;
}
