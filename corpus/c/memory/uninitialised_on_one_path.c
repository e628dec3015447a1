// Defined on one path only: a value that is 1 or undefined is not 1.
#pragma clang diagnostic ignored "-Wsometimes-uninitialized"
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void *set(void *unused)
{
    flag = 1;
    return unused;
}

int main(void)
{
    int x;
    pthread_t thread;
    pthread_create(&thread, 0, set, 0);
    if (flag)
        x = 1;
    int copy = x;
    if (copy == 1) // expect: memory.uninitialized
        flag = 2;
    pthread_join(thread, 0);
    return 0;
}
