// A destructor gets the thread's value when the thread ends, and runs again if it sets the key anew.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;
static int destroyed;

static void destroy(void *value)
{
    if (destroyed++ == 0)
        pthread_setspecific(key, value);
    else
        free(value);
}

static void *work(void *unused)
{
    pthread_setspecific(key, malloc(8));
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_key_create(&key, destroy);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    assert(destroyed == 2);
    return 0;
}
