// Both sides lock, but not the same mutex.
#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *work(void *lock)
{
    pthread_mutex_lock(lock);
    shared++; // expect: data-race
    pthread_mutex_unlock(lock);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, &left);
    work(&right);
    pthread_join(thread, 0);
    return 0;
}
