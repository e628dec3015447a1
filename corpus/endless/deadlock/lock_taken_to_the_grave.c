// A thread ends with the lock. Who wants it after that waits for ever, and main serves on.
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *forget(void *unused)
{
    pthread_mutex_lock(&lock); // expect: deadlock.partial
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, forget, 0);
    pthread_create(&two, 0, forget, 0);
    for (;;)
        sched_yield();
}
