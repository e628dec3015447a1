// A thread is joined again.
#include <pthread.h>

static void *work(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    pthread_join(thread, 0); // expect: pthread.join-twice
    return 0;
}
