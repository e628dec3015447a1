// A spinning ticket lock that identical threads take: one order of them says all.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define N 3

static atomic_uint next, serving;
static int inside;

static void *work(void *unused)
{
    unsigned ticket = atomic_fetch_add(&next, 1);
    while (atomic_load(&serving) != ticket) {
    }
    inside++;
    atomic_store(&serving, ticket + 1);
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    assert(inside == N);
    return 0;
}
