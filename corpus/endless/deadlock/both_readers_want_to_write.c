// Two readers of one lock want to write and keep reading meanwhile. A third one comes and goes: a writer waits for all readers.
// expect-anywhere: deadlock.partial
#include <pthread.h>

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;

static void *upgrade(void *unused)
{
    pthread_rwlock_rdlock(&table);
    pthread_rwlock_wrlock(&table);
    pthread_rwlock_unlock(&table);
    pthread_rwlock_unlock(&table);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, upgrade, 0);
    pthread_create(&two, 0, upgrade, 0);
    for (;;) {
        pthread_rwlock_rdlock(&table);
        pthread_rwlock_unlock(&table);
    }
}
