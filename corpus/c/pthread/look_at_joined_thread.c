// After a join a thread is none any more: asking whether it is there is an error of the program.
#include <pthread.h>
#include <signal.h>

static void *end(void *unused) { return unused; }

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, end, 0);
    pthread_join(thread, 0);
    return pthread_kill(thread, 0); // expect: pthread.invalid-thread
}
