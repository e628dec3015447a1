// The relaxed read tells that the addition comes later, so it acquires from the one that was read.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int n;
static int x;
static void *consumer(void *a) {
    if (atomic_load_explicit(&n, memory_order_relaxed) == 1) {
    atomic_fetch_sub_explicit(&n, 1, memory_order_acquire);
    x++;
    }
    return a;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, consumer, 0);
    x = 1;
    atomic_fetch_add_explicit(&n, 1, memory_order_release);
    pthread_join(t, 0);
    return 0;
}
