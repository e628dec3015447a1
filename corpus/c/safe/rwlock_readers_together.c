// Two readers are inside at the same time: they meet at a barrier while both hold the lock.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t both_inside;

static void *reader(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    pthread_barrier_wait(&both_inside);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&both_inside, 0, 2);
    pthread_create(&thread, 0, reader, 0);
    reader(0);
    pthread_join(thread, 0);
    return 0;
}
