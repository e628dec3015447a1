// The owner of a normal mutex ends without unlocking it: nobody else will ever get it.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *take(void *unused)
{
    pthread_mutex_lock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, take, 0);
    pthread_join(thread, 0);
    pthread_mutex_lock(&lock); // expect: deadlock
    return 0;
}
