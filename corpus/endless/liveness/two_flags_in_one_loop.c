// Only one of the two flags that the loop waits for is ever set.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int left, right;

static void *set(void *unused)
{
    atomic_store(&left, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int done = 0;
    pthread_create(&thread, NULL, set, NULL);
    while (!done) {
        int first = atomic_load(&left), second = 0; // expect: liveness.spin
        if (first)
            second = atomic_load(&right);
        done = first & second;
    }
    pthread_join(thread, NULL);
    return 0;
}
