// A thread-local variable is used by another thread after its own thread has ended.
#include <pthread.h>

static _Thread_local int own;
static int *shared;

static void *work(void *unused)
{
    own = 1;
    shared = &own;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return *shared; // expect: memory.use-after-return
}
