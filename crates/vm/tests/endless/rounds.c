// Barrier rounds for ever; more threads than make a round.
#include <pthread.h>
static pthread_barrier_t br;
static void *go(void *arg) {
    for (;;) pthread_barrier_wait(&br);
}
int main(void) {
    pthread_t a, b;
    pthread_barrier_init(&br, 0, 2);
    pthread_create(&a, 0, go, 0);
    pthread_create(&b, 0, go, 0);
    go(0);
}
