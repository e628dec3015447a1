// One lock guards all elements of an array, and each thread increments its own ones (Fig. 8 of Kusano
// and Wang, ASE 2014, with an assertion). No two sections have an element in common, so they need no
// second order. If each two sections did, there would be 12,870 executions.
// options: --property assertion,deadlock,pthread
// published: missed
// count(predicate)=1
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int array[16];

static void *work(void *arg)
{
    int first = (int)(long)arg;
    for (int i = first; i < first + 8; i++) {
        pthread_mutex_lock(&lock);
        array[i] = array[i] + 1;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, work, (void *)0L);
    pthread_create(&threads[1], 0, work, (void *)8L);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    for (int i = 0; i < 16; i++)
        assert(array[i] == 1);
    return 0;
}
