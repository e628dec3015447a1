// The second round's variable lies where the first one was, which the other thread may still read:
// between two lives of a local there is no order that would keep it away.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic(int *) shown;

static void *look(void *unused) {
    int *there = atomic_load(&shown);
    if (there != NULL)
        (void)*(volatile int *)there; // expect: data-race, memory.use-after-scope, memory.use-after-return, memory.uninitialized
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, look, NULL);
    for (int i = 0; i < 2; i++) {
        int mine = i;
        atomic_store(&shown, &mine);
    }
    pthread_join(other, NULL);
    return 0;
}
