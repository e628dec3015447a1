// A callee looks at no arguments but its own, and at no bits that its types do not have.
#include <pthread.h>

static void *work(int low)
{
    return low == 5 ? 0 : *(void **)0;
}

static int identity(int a)
{
    return a;
}

static int first(const void *text)
{
    return *(const char *)text;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, (void *(*)(void *))work, (void *)(5L | 1L << 40));
    pthread_join(thread, 0);
    int (*spare)(int, int) = (int (*)(int, int))identity;
    void (*unused)(int) = (void (*)(int))identity;
    int (*by_number)(long) = (int (*)(long))first;
    unused(1);
    return spare(0, 1) || by_number((long)"x") != 'x';
}
