// One who fails returns without giving the lock back; a compare-and-swap that fails changes nothing.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock;
static int left = 1;

static void *take(void *unused)
{
    int free = 0;
    while (!atomic_compare_exchange_strong(&lock, &free, 1)) // expect: liveness.spin
        free = 0;
    if (left == 0)
        return unused;
    left--;
    atomic_store(&lock, 0);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, take, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
