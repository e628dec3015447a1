// The sections have nothing in common, so only one order of them is explored. The read and the write
// beside them need both: what is explored must not take the read to be before the write because
// their threads took the same lock in between.
// options: --property assertion,deadlock,pthread
// count(predicate)=2
// published: missed
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int y;

static void *reader(void *unused)
{
    int r = y;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    assert(r == 0); // expect: assertion
    return unused;
}

static void *writer(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    y = 1;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, reader, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
