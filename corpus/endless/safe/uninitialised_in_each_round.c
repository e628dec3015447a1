// A variable that was never written decides in each round, and dies with the round.
// options: --property no-data-race
#include <pthread.h>
static int g;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *a) {
    for (;;) {
        int x;
        if (x > 0) {
            pthread_mutex_lock(&m);
            g = 1 - g;
            pthread_mutex_unlock(&m);
        } else {
            pthread_mutex_lock(&m);
            pthread_mutex_unlock(&m);
        }
    }
    return a;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    f(0);
    return 0;
}
