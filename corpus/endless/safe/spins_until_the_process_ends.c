// The watcher would wait for ever, but main returns and ends it.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void *watch(void *unused)
{
    while (!atomic_load(&flag))
        ;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, watch, NULL);
    return 0;
}
