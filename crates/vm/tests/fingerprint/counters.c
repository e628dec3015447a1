#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int n;
static atomic_long *m;

static void *adder(void *arg) {
    n += 200;
    atomic_fetch_sub(m, (long)arg);
    n++;
    if (n == 402)
        atomic_store(m, 5);
    return 0;
}

int main(void) {
    m = malloc(sizeof *m);
    atomic_init(m, 300);
    pthread_t t, u;
    pthread_create(&t, 0, adder, (void *)1);
    pthread_create(&u, 0, adder, (void *)2);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return *m > n;
}
