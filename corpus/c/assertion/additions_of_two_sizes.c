// Additions to the low half and to the whole of a number do not commute: only one of them carries.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static union {
    atomic_uint low;
    atomic_ulong whole;
} n;

static void *to_low(void *arg) {
    (void)arg;
    n.low += 0xffffffffu;
    return 0;
}

static void *to_whole(void *arg) {
    (void)arg;
    n.whole += 1;
    return 0;
}

int main(void) {
    pthread_t t, u, v;
    pthread_create(&t, 0, to_low, 0);
    pthread_create(&u, 0, to_whole, 0);
    pthread_create(&v, 0, to_whole, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    pthread_join(v, 0);
    assert(n.whole != 1); // expect: assertion
    return 0;
}
