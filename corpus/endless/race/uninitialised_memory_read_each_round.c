// The memory keeps its value: either both threads write without the lock in each round, or none
// does.
// options: --property no-data-race
#include <pthread.h>
#include <stdlib.h>
static unsigned *shared;
static int g;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *a) {
    for (;;) {
        pthread_mutex_lock(&m);
        int is_first = *shared % 10 == 3;
        pthread_mutex_unlock(&m);
        if (is_first)
            g = 1; // expect: data-race
        pthread_mutex_lock(&m);
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
