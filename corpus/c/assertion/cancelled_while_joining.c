// What a thread waits for may come before the cancellation of its wait: here the end of the thread that it joins.
#include <assert.h>
#include <pthread.h>

static pthread_t joiner, quick;

static void *joins(void *arg)
{
    pthread_join(quick, 0);
    assert(0); // expect: assertion
    return arg;
}

static void *nothing(void *arg)
{
    return arg;
}

int main(void)
{
    pthread_create(&quick, 0, nothing, 0);
    pthread_create(&joiner, 0, joins, 0);
    pthread_cancel(joiner);
    pthread_join(joiner, 0);
    return 0;
}
