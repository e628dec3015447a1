// Every second time the flag is set with a relaxed store: what was written before is not published.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int data;

static void *consume(void *unused)
{
    for (;;) {
        while (!atomic_load(&flag)) {
        }
        data = 0; // expect: data-race
        atomic_store(&flag, 0);
    }
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, consume, 0);
    for (int round = 0;; round = !round) {
        while (atomic_load(&flag)) {
        }
        data = 1;
        if (round)
            atomic_store_explicit(&flag, 1, memory_order_relaxed);
        else
            atomic_store(&flag, 1);
    }
}
