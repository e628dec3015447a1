// Each thread has its own value of a key, NULL to begin with.
#include <assert.h>
#include <pthread.h>

static pthread_key_t key;

static void *work(void *value)
{
    assert(pthread_getspecific(key) == NULL);
    assert(pthread_setspecific(key, value) == 0);
    assert(pthread_getspecific(key) == value);
    return 0;
}

int main(void)
{
    static int a, b;
    pthread_t thread;
    pthread_key_create(&key, 0);
    pthread_create(&thread, 0, work, &a);
    work(&b);
    pthread_join(thread, 0);
    assert(pthread_getspecific(key) == &b);
    pthread_key_delete(key);
    return 0;
}
