// A lock by exchange that is held for ever: each try writes the value that is there.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock;

static void *take(void *unused)
{
    while (atomic_exchange(&lock, 1)) // expect: liveness.spin
        ;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, take, NULL);
    pthread_create(&b, NULL, take, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
