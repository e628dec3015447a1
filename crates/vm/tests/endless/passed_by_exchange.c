// Objects passed on by atomic exchanges.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static _Atomic(int *) slot;
static void *consume(void *arg) {
    for (;;) free(atomic_exchange(&slot, NULL));
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, consume, 0);
    for (;;) {
        int *made = malloc(sizeof *made);
        *made = 1;
        free(atomic_exchange(&slot, made));
    }
}
