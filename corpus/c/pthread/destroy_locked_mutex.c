// main destroys the mutex without waiting for its user.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock); // expect: pthread.use-destroyed
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_mutex_destroy(&lock); // expect: pthread.destroy-locked
    pthread_join(thread, 0);
    return 0;
}
