// One caller looks at what the function returns, the other one does not.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int n;

static int next(void) {
    return atomic_fetch_add(&n, 1) + 1;
}

static void *counts(void *arg) {
    (void)arg;
    next();
    return 0;
}

static void *looks(void *arg) {
    (void)arg;
    assert(next() != 3); // expect: assertion
    return 0;
}

int main(void) {
    pthread_t t, u, v;
    pthread_create(&t, 0, counts, 0);
    pthread_create(&u, 0, looks, 0);
    pthread_create(&v, 0, counts, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    pthread_join(v, 0);
    return 0;
}
