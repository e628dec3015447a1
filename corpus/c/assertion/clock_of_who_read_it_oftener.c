// How often a thread reads the clock depends on another thread, and who joins it goes on from its time.
//
// variant: -DWHEN=0
// variant: -DWHEN=1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int x;

static void *set(void *unused)
{
    x = 1;
    return unused;
}

static void *look(void *unused)
{
    if (x == WHEN) {
        clock();
        clock();
    }
    return unused;
}

int main(void)
{
    pthread_t setter, reader;
    pthread_create(&setter, 0, set, 0);
    pthread_create(&reader, 0, look, 0);
    pthread_join(reader, 0);
    clock_t now = clock();
    pthread_join(setter, 0);
    assert(now < 2000000); // expect: assertion
    return 0;
}
