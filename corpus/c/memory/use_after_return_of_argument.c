// A function gives back the address that it gets. So the address of its caller's local gets out, and
// the local's memory must not be used for another local at once: the use would not be found.
#include <pthread.h>

static int *element(int *first, int number)
{
    return first + number;
}

static int *dangling(void)
{
    int values[2] = {1, 2};
    return element(values, 1);
}

static int later(void)
{
    int values[2] = {3, 4};
    return *element(values, 0);
}

static void *work(void *p)
{
    return p;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    int *p = dangling();
    later();
    return *p & 0; // expect: memory.use-after-return, memory.use-after-scope
}
