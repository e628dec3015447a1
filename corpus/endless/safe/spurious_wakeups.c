// Two consumers and a producer with a place for one item, all in loops around their waits: right however often they wake in vain.
// options: --spurious-wakeups on
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int items, taken;

static void *consume(void *unused)
{
    pthread_mutex_lock(&lock);
    while (items == 0)
        pthread_cond_wait(&filled, &lock);
    items--;
    taken++;
    assert(items == 0);
    pthread_cond_signal(&emptied);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, consume, 0);
    pthread_create(&two, 0, consume, 0);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        while (items == 1)
            pthread_cond_wait(&emptied, &lock);
        items++;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(taken == 2);
    return 0;
}
