// Additions and subtractions around zero: the numbers wrap in some orders and not in others.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint n;
static atomic_int seen;

static void *up(void *arg) {
    (void)arg;
    n++;
    n++;
    return 0;
}

static void *down(void *arg) {
    (void)arg;
    n--;
    if (n == 0xffffffffu)
        seen++;
    n--;
    return 0;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, up, 0);
    pthread_create(&u, 0, down, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(n == 0);
    assert(seen == 0); // expect: assertion
    return 0;
}
