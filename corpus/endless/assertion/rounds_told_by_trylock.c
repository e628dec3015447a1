// Each attempt to take the lock may find it held: at first, and in two rounds of a wait that ends without a signal. Between
// these the lock is free. So the second round is no repetition of the first one.
// options: --spurious-wakeups on
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int done;

static void *waits(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!done)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int failed = 0;
    pthread_create(&thread, 0, waits, 0);
    for (int i = 0; i < 3; i++) {
        if (pthread_mutex_trylock(&lock) != 0) {
            failed++;
            pthread_mutex_lock(&lock);
        }
        pthread_mutex_unlock(&lock);
    }
    assert(failed < 3); // expect: assertion
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
