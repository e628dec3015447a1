// A thread keeps a buffer in a thread-local variable, and ends without freeing it. Main keeps its own until the end.
// options: --property memory,leak
#include <pthread.h>
#include <stdlib.h>

static __thread char *buffer;

static void *work(void *unused)
{
    buffer = malloc(10); // expect: memory.leak
    return unused;
}

int main(void)
{
    pthread_t thread;
    buffer = malloc(20);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
