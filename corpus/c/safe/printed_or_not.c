// Whether something is printed depends on the order of two accesses: both are explored, though
// no assertion follows.
// options: --property assertion,deadlock --visibility memory
// count(predicate)=2
#include <pthread.h>
#include <stdio.h>

static int seen;

static void *work(void *unused)
{
    seen = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    if (seen)
        puts("seen");
    pthread_join(thread, 0);
    return 0;
}
