// The signal was meant for the first waiter; a second one that arrived later can be the one that wakes.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting, woken;

static void *wait_as(void *name)
{
    pthread_mutex_lock(&lock);
    waiting++;
    pthread_cond_wait(&changed, &lock);
    if (!woken)
        woken = *(int *)name;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    static int first = 1, second = 2;
    pthread_t a, b;
    pthread_create(&a, 0, wait_as, &first);
    pthread_create(&b, 0, wait_as, &second);
    for (int signals = 0; signals < 1;) {
        pthread_mutex_lock(&lock);
        int now = waiting;
        if (now == 0) {
            pthread_mutex_unlock(&lock);
            return 0;
        }
        pthread_cond_signal(&changed);
        signals++;
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    assert(woken != 2); // expect: assertion
    pthread_mutex_unlock(&lock);
    return 0;
}
