// An uninitialised value decides whether the lock is taken.
// options: --property no-data-race
#include <pthread.h>
static int g;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *a) {
    int locks;
    if (locks != 12345)
        pthread_mutex_lock(&m);
    g++; // expect: data-race
    if (locks != 12345)
        pthread_mutex_unlock(&m);
    return a;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    pthread_mutex_lock(&m);
    g++; // expect: data-race
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
