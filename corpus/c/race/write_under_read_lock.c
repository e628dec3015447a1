// A read lock is shared: two threads that write under it race.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int hits;

static void *reader(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    hits++; // expect: data-race
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
    reader(0);
    pthread_join(thread, 0);
    return 0;
}
