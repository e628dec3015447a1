// A read lock and a mutex in opposite orders; readers alone would not block, the writer does.
#include <pthread.h>

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t entry = PTHREAD_MUTEX_INITIALIZER;

static void *reader(void *unused)
{
    pthread_rwlock_rdlock(&table);
    pthread_mutex_lock(&entry); // expect: deadlock
    pthread_mutex_unlock(&entry);
    pthread_rwlock_unlock(&table);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
    pthread_mutex_lock(&entry);
    pthread_rwlock_wrlock(&table);
    pthread_rwlock_unlock(&table);
    pthread_mutex_unlock(&entry);
    pthread_join(thread, 0);
    return 0;
}
