// A detached thread cannot be joined.
#include <pthread.h>

static void *work(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_detach(thread);
    pthread_join(thread, 0); // expect: pthread.join-detached
    return 0;
}
