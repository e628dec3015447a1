// Two threads read the same memory that was never written, in any order: they read the same.
// options: --property assertion,no-data-race
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int *shared;
static int seen[2];
static void *f(void *a) {
    int i = a != 0;
    seen[i] = *shared < 10;
    return a;
}
int main(void) {
    pthread_t t, u;
    shared = malloc(sizeof *shared);
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, f, &t);
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(seen[0] == seen[1]);
    assert(seen[0] == (*shared < 10));
    free(shared);
    return 0;
}
