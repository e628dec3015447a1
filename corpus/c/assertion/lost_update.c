// The race of two increments, seen through its effect: an update gets lost. (Races are not asked for.)
// options: --property assertion
#include <assert.h>
#include <pthread.h>

static int counter;

static void *add(void *unused)
{
    counter++;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, add, 0);
    add(0);
    pthread_join(thread, 0);
    assert(counter == 2); // expect: assertion
    return 0;
}
