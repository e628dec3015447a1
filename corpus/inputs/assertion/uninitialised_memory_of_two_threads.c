// Two threads read memory that was never written, and one of them writes it under the lock.
// options: --property assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int *shared;
static int seen[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *reader(void *a) {
    pthread_mutex_lock(&m);
    seen[0] = *shared;
    pthread_mutex_unlock(&m);
    return a;
}
static void *writer(void *a) {
    pthread_mutex_lock(&m);
    seen[1] = *shared;
    *shared = 3;
    pthread_mutex_unlock(&m);
    return a;
}
int main(void) {
    pthread_t t, u;
    shared = malloc(sizeof *shared);
    pthread_create(&t, 0, reader, 0);
    pthread_create(&u, 0, writer, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(seen[0] == seen[1]); // expect: assertion
    return 0;
}
