// An addition that nobody looks at tells its thread nothing of another one before it.
// expect-anywhere: data-race
#include <pthread.h>
#include <stdatomic.h>

static atomic_int n;
static int x;

static void *first(void *arg) {
    (void)arg;
    x = 1;
    n++;
    return 0;
}

static void *second(void *arg) {
    (void)arg;
    n++;
    x = 2;
    return 0;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, second, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
