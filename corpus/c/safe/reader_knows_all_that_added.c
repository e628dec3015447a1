// Whoever reads the sum acquires from all that have added, in whichever order.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int n;
static int data[3];

static void *adder(void *arg) {
    int *place = arg;
    *place = 7;
    atomic_fetch_add_explicit(&n, 1, memory_order_release);
    return 0;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, adder, &data[i]);
    if (atomic_load_explicit(&n, memory_order_acquire) == 3)
        assert(data[0] + data[1] + data[2] == 21);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    assert(n == 3);
    return 0;
}
