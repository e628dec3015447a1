// Memory that another thread has freed: a write that reads nothing synchronises with nobody, so it is not used again yet.
// options: --quarantine 1
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int n;
static int *a, *b;

static void *work(void *unused)
{
    free(a);
    free(b);
    atomic_fetch_add_explicit(&n, 1, memory_order_release);
    return unused;
}

int main(void)
{
    a = malloc(sizeof *a);
    b = malloc(sizeof *b);
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    atomic_store(&n, 5);
    int *c = malloc(sizeof *c);
    *c = 1;
    int *d = malloc(sizeof *d);
    *d = 1;
    pthread_join(other, 0);
    free(c);
    free(d);
    return 0;
}
