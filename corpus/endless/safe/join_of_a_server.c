// Main waits for a thread that serves for ever, another one for a lock that it keeps: both wait, and nobody is stuck.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int round;

static void *serve(void *unused)
{
    pthread_mutex_lock(&lock);
    for (;;)
        round = !round;
    return unused;
}

static void *want(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t server, other;
    pthread_create(&server, 0, serve, 0);
    pthread_create(&other, 0, want, 0);
    pthread_join(server, 0);
}
