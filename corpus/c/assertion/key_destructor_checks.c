// An assertion in the destructor of a key, which runs when the thread has already returned.
#include <assert.h>
#include <pthread.h>

static pthread_key_t key;

static void check(void *value)
{
    assert(*(int *)value == 0); // expect: assertion
}

static void *work(void *value)
{
    pthread_setspecific(key, value);
    *(int *)value = 1;
    return 0;
}

int main(void)
{
    static int value;
    pthread_t thread;
    pthread_key_create(&key, check);
    pthread_create(&thread, 0, work, &value);
    pthread_join(thread, 0);
    return 0;
}
