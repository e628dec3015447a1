// What the locks guard matters to nothing, but a thread takes one while it holds the other.
// options: --property assertion,deadlock --visibility memory
// count(predicate)=3
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int hits;

static void count(pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock);
    hits++;
    pthread_mutex_unlock(lock);
}

static void *one(void *unused)
{
    pthread_mutex_lock(&first);
    count(&second);
    pthread_mutex_unlock(&first);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, one, 0);
    pthread_mutex_lock(&second);
    count(&first); // expect-anywhere: deadlock
    pthread_mutex_unlock(&second);
    pthread_join(thread, 0);
    return 0;
}
