// Memory that another thread has freed: who only releases synchronises with nobody, so it is not used again yet.
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
    atomic_fetch_add_explicit(&n, 1, memory_order_acquire);
    return unused;
}

int main(void)
{
    a = malloc(sizeof *a);
    b = malloc(sizeof *b);
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    atomic_fetch_add_explicit(&n, 1, memory_order_release);
    int *c = malloc(sizeof *c);
    *c = 1;
    int *d = malloc(sizeof *d);
    *d = 1;
    pthread_join(other, 0);
    free(c);
    free(d);
    return 0;
}
