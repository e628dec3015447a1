// The flag is set without the mutex: the signal can come between the look and the wait. A spurious wakeup would help, and need not come.
// options: --spurious-wakeups on
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *producer(void *unused)
{
    ready = 1;
    pthread_cond_signal(&changed);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, producer, 0);
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&changed, &lock); // expect: deadlock.lost-wakeup
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
