// The idioms that lock-free code uses: compiler barrier, full fence, pause, locked add, exchange.
#include <assert.h>
#include <pthread.h>

static int counter;

static void *work(void *unused)
{
    __asm__ volatile("lock; addl %1, %0" : "+m"(counter) : "ir"(2) : "memory", "cc");
    __asm__ volatile("" ::: "memory");
    __asm__ volatile("pause");
    __asm__ volatile("mfence" ::: "memory");
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    assert(counter == 4);
    return 0;
}
