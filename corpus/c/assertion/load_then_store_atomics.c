// Two atomic operations are not one.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *add(void *unused)
{
    int v = atomic_load(&counter);
    atomic_store(&counter, v + 1);
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
