// A slot of several pages had an object without values, and gets one of zeros. In the other order of the
// sections a byte without a value is read.
// options: --quarantine 0
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char *c;
static int taken;
static void *look(void *a) {
    pthread_mutex_lock(&m);
    if (!taken && c[10]) // expect: memory.uninitialized
        taken = 2;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t t;
    c = malloc(8192);
    pthread_create(&t, 0, look, 0);
    pthread_mutex_lock(&m);
    taken = 1;
    for (int i = 0; i < 3; i++) {
        free(c);
        c = calloc(1, 8192);
        c[10] = 1;
    }
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    free(c);
    return 0;
}
