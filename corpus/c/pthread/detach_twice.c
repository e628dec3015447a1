// Detached by itself and by its creator.
#include <pthread.h>

static void *work(void *unused)
{
    pthread_detach(pthread_self()); // expect: pthread.detach-twice
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_detach(thread); // expect: pthread.detach-twice
    return 0;
}
