// The unmodelled call is reached in one of the two orders.
// unknown: gethostid
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int flag;

static void *set(void *unused)
{
    flag = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, set, 0);
    if (flag)
        gethostid();
    pthread_join(thread, 0);
    return 0;
}
