// Every third change is made under a read lock.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *read(void *unused)
{
    for (;;) {
        pthread_rwlock_rdlock(&lock);
        volatile int seen = value; // expect: data-race
        (void)seen;
        pthread_rwlock_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t reader;
    pthread_create(&reader, 0, read, 0);
    for (int round = 0;; round = (round + 1) % 3) {
        if (round == 2)
            pthread_rwlock_rdlock(&lock);
        else
            pthread_rwlock_wrlock(&lock);
        value = !value;
        pthread_rwlock_unlock(&lock);
    }
}
