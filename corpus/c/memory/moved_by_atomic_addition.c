// The second thread's addition moves the pointer out of its array, into the one beside it.
#include <pthread.h>
#include <stdatomic.h>

static int a[4], b[4], c[4], d[4];
static _Atomic(int *) next = a;

static void *takes(void *arg)
{
    int *mine = atomic_fetch_add(&next, 8);
    *mine = 1; // expect: memory.out-of-bounds
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, takes, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return b[0] + c[0] + d[0];
}
