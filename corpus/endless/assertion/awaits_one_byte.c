// The loop ends if one of three stores to different bytes of a variable comes first.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum;

static void *one(void *arg)   { atomic_store((_Atomic char *)&sum, 1); return arg; }
static void *two(void *arg)   { atomic_store((_Atomic char *)&sum + 1, 1); return arg; }
static void *four(void *arg)  { atomic_store((_Atomic char *)&sum + 2, 4); return arg; }

static void *waits(void *arg)
{
    int seen;
    do {
        seen = atomic_load(&sum);
    } while (seen != 4 << 16 && seen < 1 << 24);
    assert(seen != 4 << 16); // expect: assertion
    return arg;
}

int main(void)
{
    pthread_t t[4];
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    pthread_create(&t[2], 0, four, 0);
    pthread_create(&t[3], 0, waits, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    atomic_store((_Atomic char *)&sum + 3, 1);
    pthread_join(t[3], 0);
    return 0;
}
