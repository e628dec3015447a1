// words: a b
// Inputs decide which variable is accessed at a place: the operation waits for what either needs.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_int a[2], order;
static int chosen;
static int found[3];
static void *work(void *number) {
    int own = (int)(long)number;
    found[own] = atomic_fetch_add(&a[own == 1 ? chosen : 0], own + 1);
    found[own] += 100 * atomic_fetch_add(&order, 1);
    return 0;
}
int main(int argc, char **argv) {
    pthread_t t[3];
    chosen = argv[1][0] == 'b';
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    printf("%d %d %d, %d %d\n", found[0], found[1], found[2], a[0], a[1]);
    return 0;
}
