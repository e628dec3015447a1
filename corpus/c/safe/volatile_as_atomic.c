// Code that takes volatile accesses for atomic ones, as kernels do: the compiler is told to mean it.
// options: --cflags -fms-volatile
#include <assert.h>
#include <pthread.h>

static volatile int ready;
static int data;

static void *produce(void *unused)
{
    data = 7;
    ready = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, produce, 0);
    if (ready)
        assert(data == 7);
    pthread_join(thread, 0);
    return 0;
}
