// Where the thread is not joined, it may not have written yet. Optimised code has the thread's name
// in a register before the branch, so nothing but the branch itself decides about the join.
// options: --cflags=-O1 --property assertion,deadlock --visibility memory
// variant: -DK=0 count(predicate)=3
// variant: -DK=1 count(predicate)=3
#include <assert.h>
#include <pthread.h>

static volatile int a, c;
static volatile pthread_t kept;

static void *set_a(void *unused)
{
    a = 1;
    return unused;
}

static void *set_c(void *unused)
{
    c = 1;
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, set_a, 0);
    pthread_create(&second, 0, set_c, 0);
    pthread_t name = second;
    kept = name;
    if (a == K)
        pthread_join(name, 0);
    assert(c == 1); // expect: assertion
    return 0;
}
