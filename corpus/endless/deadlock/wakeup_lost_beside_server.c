// The flag is set without the mutex, so the signal may come between the look and the wait. The server goes on without the worker.
// expect-anywhere: deadlock.lost-wakeup
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t started = PTHREAD_COND_INITIALIZER;
static atomic_int ready, rounds;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&started, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, 0, work, 0);
    ready = 1;
    pthread_cond_signal(&started);
    for (;;)
        rounds = (rounds + 1) % 3;
}
