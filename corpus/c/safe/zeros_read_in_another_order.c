// A slot of several pages had an object of zeros, and gets one without values. In the other order of the
// sections the zeros are read.
// options: --quarantine 0
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char *c;
static int taken;
static void *look(void *a) {
    pthread_mutex_lock(&m);
    if (!taken) assert(c[10] == 0);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t t;
    c = calloc(1, 8192);
    pthread_create(&t, 0, look, 0);
    pthread_mutex_lock(&m);
    taken = 1;
    for (int i = 0; i < 3; i++) {
        free(c);
        c = malloc(8192);
        c[10] = 1;
    }
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    free(c);
    return 0;
}
