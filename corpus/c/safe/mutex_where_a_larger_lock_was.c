// What lies behind a mutex is no part of it, although a larger lock began at the same address before.
#include <pthread.h>

static union {
    pthread_rwlock_t large;
    struct {
        pthread_mutex_t lock;
        long behind[2];
    } small;
} slot;

static void *idles(void *arg) { return arg; }

static void *locks(void *arg)
{
    pthread_mutex_lock(&slot.small.lock);
    pthread_mutex_unlock(&slot.small.lock);
    return arg;
}

static void *writes(void *arg)
{
    slot.small.behind[1] = 1;
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], 0, idles, 0);
    pthread_rwlock_init(&slot.large, 0);
    pthread_rwlock_destroy(&slot.large);
    pthread_mutex_init(&slot.small.lock, 0);
    pthread_create(&t[1], 0, locks, 0);
    pthread_create(&t[2], 0, writes, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
