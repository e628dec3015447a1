// The unmodelled call is reached in one of the two orders.
// unknown: mkfifo
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

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
        mkfifo("queue", 0600);
    pthread_join(thread, 0);
    return 0;
}
