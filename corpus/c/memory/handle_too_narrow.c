// The handle does not fit where it is to be written: no thread is created.
#include <pthread.h>

static void *run(void *unused)
{
    return unused;
}

int main(void)
{
    int narrow;
    pthread_create((pthread_t *)&narrow, 0, run, 0); // expect: memory.out-of-bounds
    return 0;
}
