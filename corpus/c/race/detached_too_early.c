// The creator does not wait for its detached thread before it reads the result.
#include <pthread.h>
#include <sched.h>

static int result;

static void *work(void *unused)
{
    result = 1; // expect: data-race
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_detach(thread);
    sched_yield();
    return result & 0;
}
