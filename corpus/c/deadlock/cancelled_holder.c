// A thread is cancelled while it holds a mutex, without a cleanup handler.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_testcancel();
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_cancel(thread);
    pthread_join(thread, 0);
    pthread_mutex_lock(&lock); // expect: deadlock
    pthread_mutex_unlock(&lock);
    return 0;
}
