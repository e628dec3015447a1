// The value of the shift does not fit, in one order. Shifts of unsigned numbers and those whose values fit are no overflows.
// options: --property overflow
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int bits = 1;
static unsigned mask = 0xf0000000u;

static void *doubles(void *arg) {
    pthread_mutex_lock(&lock);
    bits *= 2;
    mask <<= 4;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *shifts(void *arg) {
    pthread_mutex_lock(&lock);
    int now = bits;
    bits = now << (now == 2 ? 30 : 29); // expect: arithmetic.signed-overflow
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, doubles, 0);
    pthread_create(&b, 0, shifts, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
