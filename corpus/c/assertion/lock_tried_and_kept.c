// A lock around a counter is also tried, and never given back there: that the holder is seen at
// work is the only way for the assertion to fail.
// options: --property assertion,deadlock
// count(predicate)=3
// published: missed
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int hits;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    hits++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    assert(pthread_mutex_trylock(&lock) == 0); // expect: assertion
    return 0;
}
