// The writer gives the lock back between two halves of every third change.
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int low, high;

static void *read(void *unused)
{
    for (;;) {
        pthread_rwlock_rdlock(&lock);
        assert(low == high); // expect: assertion
        pthread_rwlock_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t reader;
    pthread_create(&reader, 0, read, 0);
    for (int round = 0;; round = (round + 1) % 3) {
        pthread_rwlock_wrlock(&lock);
        low = !low;
        if (round == 2) {
            pthread_rwlock_unlock(&lock);
            pthread_rwlock_wrlock(&lock);
        }
        high = !high;
        pthread_rwlock_unlock(&lock);
    }
}
