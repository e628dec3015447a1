// A thread reads another one's thread-local variable, in order with what that one wrote, but not with its end.
#include <pthread.h>
#include <stdatomic.h>

static _Thread_local int own;
static _Atomic(int *) shared;

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
    int *there = shared;
    int value = there ? *there : 0; // expect: memory.use-after-return
    pthread_join(thread, NULL);
    return value;
}
