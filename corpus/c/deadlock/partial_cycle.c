// Two threads lock each other out while a third one goes on and ends the process without joining them.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *forwards(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); // expect: deadlock, deadlock.partial
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *backwards(void *unused)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, forwards, 0);
    pthread_create(&two, 0, backwards, 0);
    sleep(1);
    return 0;
}
