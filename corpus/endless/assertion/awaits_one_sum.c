// The loop ends if one of three additions comes first, which commute where nobody looks. No order in
// which the thread was held tells of it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum;

static void *one(void *arg)   { atomic_fetch_add(&sum, 1); return arg; }
static void *two(void *arg)   { atomic_fetch_add(&sum, 2); return arg; }
static void *four(void *arg)  { atomic_fetch_add(&sum, 4); return arg; }

static void *waits(void *arg)
{
    int seen;
    do {
        seen = atomic_load(&sum);
    } while (seen != 4 && seen < 64);
    assert(seen != 4); // expect: assertion
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
    atomic_fetch_add(&sum, 64);
    pthread_join(t[3], 0);
    return 0;
}
