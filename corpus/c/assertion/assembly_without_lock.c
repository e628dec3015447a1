// An increment in memory without `lock` is two accesses: one of two may be lost.
#include <assert.h>
#include <pthread.h>

static int counter;

static void *work(void *unused)
{
    __asm__ volatile("incl %0" : "+m"(counter) : : "memory", "cc");
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    assert(counter == 2); // expect: assertion
    return 0;
}
