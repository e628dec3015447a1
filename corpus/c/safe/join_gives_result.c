// The result of a thread comes from its return, from pthread_exit, or from a pthread_exit deeper in.
#include <assert.h>
#include <pthread.h>

static int values[3];

static void deeper(void)
{
    pthread_exit(&values[2]);
}

static void *by_return(void *unused)
{
    (void)unused;
    return &values[0];
}

static void *by_exit(void *deep)
{
    if (deep)
        deeper();
    pthread_exit(&values[1]);
}

int main(void)
{
    pthread_t a, b, c;
    void *result;
    pthread_create(&a, 0, by_return, 0);
    pthread_create(&b, 0, by_exit, 0);
    pthread_create(&c, 0, by_exit, values);
    assert(pthread_join(a, &result) == 0 && result == &values[0]);
    assert(pthread_join(b, &result) == 0 && result == &values[1]);
    assert(pthread_join(c, &result) == 0 && result == &values[2]);
    return 0;
}
