// Nobody asks for the use of uninitialised values, so they are any values: both threads may take
// the branch or not.
// options: --property no-data-race,assertion
#include <assert.h>
#include <pthread.h>
static int g;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *a) {
    int x;
    if (x > 0) {
        pthread_mutex_lock(&m);
        g++;
        pthread_mutex_unlock(&m);
    }
    return a;
}
int main(void) {
    pthread_t t;
    int y;
    pthread_create(&t, 0, f, 0);
    if (y) {
        pthread_mutex_lock(&m);
        g++;
        pthread_mutex_unlock(&m);
    }
    pthread_join(t, 0);
    assert(g <= 2);
    return 0;
}
