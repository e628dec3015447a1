// The value tells that the addition came after the store, and so that it acquired from it.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int n;
static int x, z;

static void *adder(void *arg) {
    atomic_fetch_add_explicit(&n, 1, memory_order_acquire);
    if (atomic_load_explicit(&n, memory_order_relaxed) == 11)
        z = x;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, adder, 0);
    x = 1;
    atomic_store_explicit(&n, 10, memory_order_release);
    pthread_join(t, 0);
    return 0;
}
