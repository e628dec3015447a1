// The loser of a relaxed compare-and-swap writes what the winner owns.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int owner;
static int owned;

static void *work(void *unused)
{
    int free = 0;
    atomic_compare_exchange_strong_explicit(&owner, &free, 1, memory_order_relaxed, memory_order_relaxed);
    owned++; // expect: data-race
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    return 0;
}
