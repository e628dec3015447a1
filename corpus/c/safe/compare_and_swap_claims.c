// Three threads claim a slot by compare-and-swap: one gets it, and the data it guards is touched by that one only.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int owner;
static int claims;

static void *claim(void *argument)
{
    int free = 0;
    if (atomic_compare_exchange_strong(&owner, &free, *(int *)argument))
        claims++;
    else
        assert(free != 0);
    return 0;
}

int main(void)
{
    static int names[3] = {1, 2, 3};
    pthread_t a, b;
    pthread_create(&a, 0, claim, &names[0]);
    pthread_create(&b, 0, claim, &names[1]);
    claim(&names[2]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(claims == 1);
    return 0;
}
