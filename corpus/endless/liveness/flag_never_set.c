// Nobody sets the flag: the reader waits in its loop for ever.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void *reader(void *unused)
{
    while (!atomic_load_explicit(&flag, memory_order_acquire)) // expect: liveness.spin
        ;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);
    pthread_join(thread, NULL);
    return 0;
}
