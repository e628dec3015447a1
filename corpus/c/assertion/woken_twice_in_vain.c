// A thread that counts how often it woke: three times without a signal is possible.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *producer(void *unused)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int woken = 0;
    pthread_create(&thread, 0, producer, 0);
    pthread_mutex_lock(&lock);
    while (!ready && woken < 3) {
        pthread_cond_wait(&changed, &lock);
        woken++;
    }
    assert(ready); // expect: assertion
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
