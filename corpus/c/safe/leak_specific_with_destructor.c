// The destructor of a key frees what a thread leaves; main ends as a thread, too.
// options: --property memory,leak,cleanup
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;

static void *work(void *unused)
{
    pthread_setspecific(key, malloc(10));
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_key_create(&key, free);
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    pthread_exit(0);
}
