// A thread waits for a flag, but it looks at the flag before it takes the mutex.
//
//     selvedge check examples/lost_wakeup.c
//
// What to see: a deadlock that is named a lost wakeup. The signal comes between the look at the flag and the wait, finds
// nobody waiting, and the waiter sleeps for ever. Compile with -DFIXED to look again, in a loop, under the mutex: then it
// is verified.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *announce(void *unused)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void await(void)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
#else
    if (!ready) {
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
    }
#endif
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, announce, 0);
    await();
    pthread_join(thread, 0);
    return 0;
}
