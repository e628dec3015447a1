// A loop that sleeps comes back to the same state, though the program reads clocks.
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static atomic_int over;

static void *ends(void *unused)
{
    atomic_store(&over, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    time_t begin = time(0);
    pthread_create(&thread, 0, ends, 0);
    while (!atomic_load(&over))
        sleep(60);
    pthread_join(thread, 0);
    return time(0) < begin;
}
