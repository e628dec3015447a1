// Atomic operations on symbolic data.
#include <pthread.h>
#include <stdatomic.h>
int __VERIFIER_nondet_int(void);
static atomic_int x;
static void *swap(void *arg) {
    int expected = (int)(long)arg;
    if (!atomic_compare_exchange_strong(&x, &expected, 7)) atomic_fetch_add(&x, expected);
    return (void *)(long)(atomic_load(&x) > 3);
}
int main(void) {
    pthread_t a, b;
    x = __VERIFIER_nondet_int();
    pthread_create(&a, 0, swap, (void *)1);
    pthread_create(&b, 0, swap, (void *)2);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
