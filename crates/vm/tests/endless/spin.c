// A thread spins on a flag that another one sets and clears for ever.
#include <pthread.h>
#include <stdatomic.h>
#include <sched.h>
static atomic_int flag;
static void *spin(void *arg) {
    for (;;) {
        while (!atomic_load(&flag)) sched_yield();
        atomic_store(&flag, 0);
    }
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, spin, 0);
    for (;;) { int no = 0; atomic_compare_exchange_strong(&flag, &no, 1); }
}
