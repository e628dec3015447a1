// A normal mutex is unlocked by a thread that does not hold it.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *stranger(void *unused)
{
    pthread_mutex_unlock(&lock); // expect: pthread.unlock-not-owner
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_lock(&lock);
    pthread_create(&thread, 0, stranger, 0);
    pthread_join(thread, 0);
    pthread_mutex_unlock(&lock);
    return 0;
}
