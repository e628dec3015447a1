// A thread goes round for ever without an effect. What the others do is explored all the same.
#include <assert.h>
#include <pthread.h>

static int x;

static void *idle(void *unused)
{
    for (unsigned n = 1;; n = n % 5 + 1) {
        if (n == 6)
            return unused;
    }
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, idle, 0);
    x = 1;
    assert(x == 1);
    return 0;
}
