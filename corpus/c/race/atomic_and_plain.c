// An atomic write and a plain read of the same variable.
#include <pthread.h>

static int counter;

static void *add(void *unused)
{
    __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, add, 0);
    int seen = counter; // expect: data-race
    pthread_join(thread, 0);
    return seen & 0;
}
