// Sleeping is a cancellation point, also of the only thread.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static void handler(void *arg)
{
    assert(arg != 0); // expect: assertion
}

int main(void)
{
    pthread_cleanup_push(handler, 0);
    pthread_cancel(pthread_self());
    usleep(1);
    pthread_cleanup_pop(0);
    return 0;
}
