// The value tells that the addition came after the store, and so that it acquired from it.
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
static atomic_int n;
static int x, z;
static void *t1(void *a) {
    atomic_fetch_add_explicit(&n, 1, memory_order_acquire);
    if (atomic_load_explicit(&n, memory_order_relaxed) == 11) {
        int y = x; z = y;
#ifdef FAIL
        atomic_thread_fence(memory_order_seq_cst);
        atomic_load(&n);
        assert(y == 0);
#endif
    }
    return a;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, t1, 0);
    x = 1;
    atomic_store_explicit(&n, 10, memory_order_release);
    pthread_join(t, 0);
    return 0;
}
