// The writer waits for two readers. One of them, with the lower number, always gives the lock back; the other one waits for the writer.
// expect-anywhere: deadlock.partial
#include <pthread.h>

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

static void *read_and_log(void *unused)
{
    pthread_rwlock_rdlock(&table);
    pthread_mutex_lock(&log_lock);
    pthread_mutex_unlock(&log_lock);
    pthread_rwlock_unlock(&table);
    return unused;
}

static void *log_and_write(void *unused)
{
    pthread_mutex_lock(&log_lock);
    pthread_rwlock_wrlock(&table);
    pthread_rwlock_unlock(&table);
    pthread_mutex_unlock(&log_lock);
    return unused;
}

int main(void)
{
    pthread_t reader, writer;
    pthread_create(&reader, 0, read_and_log, 0);
    pthread_create(&writer, 0, log_and_write, 0);
    for (;;) {
        pthread_rwlock_rdlock(&table);
        pthread_rwlock_unlock(&table);
    }
}
