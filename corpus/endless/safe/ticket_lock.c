// A ticket lock; tickets are counted modulo 4.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint next, serving;
static int inside;

static void *work(void *unused)
{
    for (;;) {
        unsigned ticket = atomic_load(&next);
        while (!atomic_compare_exchange_strong(&next, &ticket, (ticket + 1) % 4)) {
        }
        while (atomic_load(&serving) != ticket) {
        }
        inside++;
        assert(inside == 1);
        inside--;
        atomic_store(&serving, (ticket + 1) % 4);
    }
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    work(0);
    return 0;
}
