// The handler runs after the thread has left the routine, which is not modelled: it may run the routine again.
// unknown: a cleanup handler outside of the routine of pthread_once
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void routine(void)
{
    pthread_testcancel();
}

static void again(void *arg)
{
    (void)arg;
    pthread_once(&once, routine);
}

static void *uses(void *arg)
{
    pthread_cleanup_push(again, 0);
    pthread_cancel(pthread_self());
    pthread_once(&once, routine);
    pthread_cleanup_pop(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, uses, 0);
    pthread_join(t, 0);
    return 0;
}
