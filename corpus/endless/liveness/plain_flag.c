// A thread waits for a plain variable that nobody sets. Its reads are explored, although they are no
// actions at first.
#include <pthread.h>

static volatile int ready;

static void *wait(void *unused)
{
    while (!ready) { // expect: liveness.spin
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
