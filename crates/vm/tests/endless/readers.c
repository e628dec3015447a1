// Readers and a writer for ever, with a lock that is statically initialised.
#include <pthread.h>
static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;
static int x;
static void *reader(void *arg) {
    for (;;) { pthread_rwlock_rdlock(&w); int r = x; (void)r; pthread_rwlock_unlock(&w); }
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, reader, 0);
    for (;;) { pthread_rwlock_wrlock(&w); x = !x; pthread_rwlock_unlock(&w); }
}
