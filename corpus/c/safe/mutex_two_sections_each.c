// Two threads with k critical sections each: the orders are the ways to interleave two sequences of k, (2k choose k).
// variant: -DK=2 count(dpor)=6
// variant: -DK=3 count(dpor)=20
// variant: -DK=4 count(dpor)=70
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *work(void *unused)
{
    for (int i = 0; i < K; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    work(0);
    pthread_join(other, 0);
    assert(counter == 2 * K);
    return 0;
}
