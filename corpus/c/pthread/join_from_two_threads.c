// Two threads wait for the same one.
#include <pthread.h>

static pthread_t worker;

static void *work(void *unused)
{
    return unused;
}

static void *join(void *unused)
{
    pthread_join(worker, 0); // expect: pthread.join-twice
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&worker, 0, work, 0);
    pthread_create(&thread, 0, join, 0);
    join(0);
    pthread_join(thread, 0);
    return 0;
}
