// A ticket is drawn with a load and a store: two threads can have the same one.
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint next, serving;
static int inside;

static void *work(void *unused)
{
    for (;;) {
        unsigned ticket = atomic_load(&next);
        atomic_store(&next, (ticket + 1) % 4);
        while (atomic_load(&serving) != ticket) {
        }
        inside = 1; // expect: data-race
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
