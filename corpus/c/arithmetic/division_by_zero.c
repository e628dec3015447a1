// The divisor is zero in one of the orders.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int workers = 1;

static void *leave(void *unused)
{
    workers--;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, leave, 0);
    int share = 100 / workers; // expect: arithmetic.division-by-zero
    pthread_join(thread, 0);
    return share & 0;
}
