// abort in one of the two orders.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int first;

static void *work(void *unused)
{
    first = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    if (first)
        abort(); // expect: assertion.abort
    pthread_join(thread, 0);
    return 0;
}
