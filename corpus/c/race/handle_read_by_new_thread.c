// POSIX does not promise that the new thread's ID is stored before the thread starts; with glibc it is.
// variant: --thread-handles late
// variant: --thread-handles early verdict(verified)
#include <pthread.h>

static pthread_t worker;

static void *run(void *unused)
{
    pthread_t mine = worker; // expect: data-race
    return pthread_equal(mine, pthread_self()) ? unused : 0;
}

int main(void)
{
    pthread_create(&worker, 0, run, 0);
    pthread_join(worker, 0);
    return 0;
}
