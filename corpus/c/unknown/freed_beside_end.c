// The process may end before the thread, which nobody waits for, has freed its buffer.
// options: --property cleanup
// unknown: which does not wait for a thread that frees some
#include <pthread.h>
#include <stdlib.h>

static void *work(void *unused)
{
    free(malloc(10));
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_detach(thread);
    return 0;
}
