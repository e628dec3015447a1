// A stale pointer is a stale pointer, however many objects of the same size came and went since: a program that ends has room for all of them.
#include <pthread.h>
#include <stdlib.h>

static void *worker(void *unused)
{
    int *kept = malloc(sizeof *kept);
    *kept = 1;
    free(kept);
    for (int i = 0; i < 4; i++) {
        int *other = malloc(sizeof *other);
        *other = i;
        free(other);
    }
    int *last = malloc(sizeof *last);
    *last = 7;
    *kept = 8; // expect: memory.use-after-free
    free(last);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    return 0;
}
