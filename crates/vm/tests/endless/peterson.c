// Peterson's protocol for ever.
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
static atomic_int wants[2], turn;
static int inside;
static void *enter(void *arg) {
    int me = (int)(long)arg;
    for (;;) {
        atomic_store(&wants[me], 1);
        atomic_store(&turn, 1 - me);
        while (atomic_load(&wants[1 - me]) && atomic_load(&turn) == 1 - me) {}
        inside++;
        assert(inside == 1);
        inside--;
        atomic_store(&wants[me], 0);
    }
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, enter, (void *)1);
    enter(0);
}
