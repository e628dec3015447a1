// A local variable of main is used by a thread while main waits for it.
#include <assert.h>
#include <pthread.h>

static void *square(void *number)
{
    int *x = number;
    *x *= *x;
    return 0;
}

int main(void)
{
    int number = 7;
    pthread_t thread;
    pthread_create(&thread, 0, square, &number);
    pthread_join(thread, 0);
    assert(number == 49);
    return 0;
}
