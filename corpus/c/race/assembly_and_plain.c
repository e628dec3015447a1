// A move to memory is atomic, the plain read of the other thread is not. What was written before it is published.
#include <pthread.h>

static int data, ready;

static void *produce(void *unused)
{
    data = 1;
    __asm__ volatile("movl $1, %0" : "=m"(ready) : : "memory"); // expect: data-race
    return unused;
}

int main(void)
{
    pthread_t thread;
    int seen, copy = 0;
    pthread_create(&thread, 0, produce, 0);
    __asm__ volatile("movl %1, %0" : "=r"(seen) : "m"(ready) : "memory");
    if (seen)
        copy = data;
    copy += ready; // expect: data-race
    pthread_join(thread, 0);
    return copy < 0;
}
