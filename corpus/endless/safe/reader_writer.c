// A reader and a writer for ever, with a read-write lock.
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int low, high;

static void *read(void *unused)
{
    for (;;) {
        pthread_rwlock_rdlock(&lock);
        assert(low == high);
        pthread_rwlock_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t reader;
    pthread_create(&reader, 0, read, 0);
    for (;;) {
        pthread_rwlock_wrlock(&lock);
        low = !low;
        high = !high;
        pthread_rwlock_unlock(&lock);
    }
}
