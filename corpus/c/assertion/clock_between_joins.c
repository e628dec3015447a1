// Of two identical threads the first one reads the clock, so the time between their joins tells which one that was.
//
// variant: -DRELATION=<
// variant: -DRELATION=>
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int first = 1;

static void *look(void *unused)
{
    pthread_mutex_lock(&mutex);
    if (first) {
        clock();
        clock();
    }
    first = 0;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, look, 0);
    pthread_create(&other, 0, look, 0);
    pthread_join(one, 0);
    clock_t now = clock();
    pthread_join(other, 0);
    assert(now RELATION 1000000); // expect: assertion
    return 0;
}
