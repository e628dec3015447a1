// Two of the three locks guard what matters to no assertion: under predicate dependence only the
// order in which the third one is taken does. Three threads have 6 orders.
// options: --property assertion,deadlock
// count(predicate)=6
#include <assert.h>
#include <pthread.h>

static struct counter {
    pthread_mutex_t lock;
    int count;
} counter = {PTHREAD_MUTEX_INITIALIZER, 0};
static pthread_mutex_t hits_lock = PTHREAD_MUTEX_INITIALIZER, balance_lock = PTHREAD_MUTEX_INITIALIZER;
static int hits, balance;

static void hit(struct counter *counter)
{
    pthread_mutex_lock(&counter->lock);
    counter->count++;
    pthread_mutex_unlock(&counter->lock);
}

static void *work(void *unused)
{
    pthread_mutex_lock(&hits_lock);
    hits++;
    pthread_mutex_unlock(&hits_lock);
    hit(&counter);
    pthread_mutex_lock(&balance_lock);
    balance += 5;
    pthread_mutex_unlock(&balance_lock);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    assert(balance == 15);
    return 0;
}
