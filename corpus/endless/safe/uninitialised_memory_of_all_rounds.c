// Each round reads the same memory that was never written, and nothing else remembers what a round
// has read: a state in which the value decides later is not one in which it is still unknown.
// options: --property assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int *shared;
static int seen; // 0: nothing yet, 1: less than 10, 2: not less
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *a) {
    for (;;) {
        pthread_mutex_lock(&m);
        int now = *shared < 10 ? 1 : 2;
        assert(seen == 0 || seen == now);
        seen = now;
        pthread_mutex_unlock(&m);
    }
    return a;
}
int main(void) {
    pthread_t t;
    shared = malloc(sizeof *shared);
    pthread_create(&t, 0, f, 0);
    f(0);
    return 0;
}
