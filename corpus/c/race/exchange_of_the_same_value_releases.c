// Each thread finds the flag set and sets it again. The exchange that comes first tells the other thread what came before
// it, so only one of the two orders has the race.
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int flag = 1;

static void *first(void *unused)
{
    data = 1; // expect: data-race
    atomic_exchange(&flag, 1);
    return unused;
}

static void *second(void *unused)
{
    atomic_exchange(&flag, 1);
    data = 2; // expect: data-race
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, first, 0);
    pthread_create(&threads[1], 0, second, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
