// Thread-specific data of a thread that has ended, under a key without a destructor.
// options: --property memory,leak
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;

static void *work(void *unused)
{
    pthread_setspecific(key, malloc(10)); // expect: memory.leak
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_key_create(&key, 0);
    pthread_setspecific(key, malloc(20));
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
