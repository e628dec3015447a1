// The assertion fails only if the other thread's two steps fall exactly between the three of main.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *steps(void *unused)
{
    x = 1;
    x = 2;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, steps, 0);
    int a = x, b = x, c = x;
    assert(!(a == 0 && b == 1 && c == 2)); // expect: assertion
    pthread_join(thread, 0);
    return 0;
}
