// A thread waits for a plain variable that nobody sets. It may be a deadlock, which is not decided.
// unknown: goes round for ever
#include <pthread.h>

static volatile int ready;

static void *wait(void *unused)
{
    while (!ready) {
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, wait, 0);
    pthread_join(thread, 0);
    return 0;
}
